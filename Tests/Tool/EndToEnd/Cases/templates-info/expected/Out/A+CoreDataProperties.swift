// xcode27 T
// bold mine red , bold, T
