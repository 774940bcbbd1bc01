//! The laws of the lattice of constants.

use pullback_analysis::lattice::Flat;

const ALL: [Flat<i64>; 4] = [Flat::Never, Flat::Is(3), Flat::Is(4), Flat::Varies];

#[test]
fn a_join_is_the_least_upper_bound() {
    assert_eq!(Flat::Is(3).join(Flat::Is(4)), Flat::Varies);
    for one in ALL {
        assert_eq!(one.join(one), one);
        assert_eq!((Flat::Never.join(one), Flat::Varies.join(one)), (one, Flat::Varies));
        for other in ALL {
            assert_eq!(one.join(other), other.join(one));
            for third in ALL {
                assert_eq!(one.join(other).join(third), one.join(other.join(third)));
            }
        }
    }
}

#[test]
fn what_is_known_rises_twice_at_most() {
    for (one, other) in ALL.into_iter().flat_map(|one| ALL.map(|other| (one, other))) {
        let mut known = Flat::Never;
        let rises = [one, other, one, other].map(|more| usize::from(known.learn(more)));
        assert!(rises.iter().sum::<usize>() <= 2 && rises[2..] == [0, 0], "{one:?} and {other:?}");
        assert_eq!(known, one.join(other));
    }
    assert_eq!((Flat::Is(3).value(), Flat::<i64>::Varies.value()), (Some(3), None));
}
