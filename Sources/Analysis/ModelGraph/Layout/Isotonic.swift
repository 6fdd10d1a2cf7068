/// Places items in a row as near as possible to their desired positions.
enum Isotonic {
    /// Returns the nondecreasing numbers with the least weighted sum of squared distances to the desired ones (pool
    /// adjacent violators).
    ///
    /// - Parameter weights: The weight of each desired number; positive.
    static func fit(_ wishes: [Double], weights: [Double]) -> [Double] {
        var pools: [(value: Double, weight: Double, count: Int)] = []
        pools.reserveCapacity(wishes.count)
        for (wish, weight) in zip(wishes, weights) {
            var pool = (value: wish, weight: weight, count: 1)
            while let last = pools.last, last.value > pool.value {
                let sum = last.weight + pool.weight
                pool.value = (last.value * last.weight + pool.value * pool.weight) / sum
                pool.weight = sum
                pool.count += last.count
                pools.removeLast()
            }
            pools.append(pool)
        }
        return pools.flatMap { Array(repeating: $0.value, count: $0.count) }
    }

    /// Returns increasing integers, at least `distance` apart and between two bounds, as near as possible to the
    /// desired ones. The bounds must leave room for all.
    static func spread(_ wishes: [Double], distance: Double, from lowest: Double, to highest: Double) -> [Double] {
        let steps = wishes.indices.map { Double($0) * distance }
        let fitted = fit(zip(wishes, steps).map { $0 - $1 }, weights: Array(repeating: 1, count: wishes.count))
        let room = highest - Double(max(0, wishes.count - 1)) * distance
        return zip(fitted, steps).map { max(lowest, min(room, $0.rounded())) + $1 }
    }
}
