import UIKit

/// Stays excluded on Linux.
public final class CustomersViewController: UITableViewController {
    @IBOutlet private var addButton: UIBarButtonItem!

    public override func viewDidLoad() {
        super.viewDidLoad()
        addButton.action = #selector(add(_:))
    }

    @objc private func add(_ sender: Any) {}
}
