/// A mood, as an entry stores it.
public enum Mood: Int16, CaseIterable {
    case calm, happy, sad
}

extension Entry {
    public var feeling: Mood {
        get { Mood(rawValue: mood) ?? .calm }
        set { mood = newValue.rawValue }
    }
}
