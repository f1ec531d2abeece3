//! Classifies IP addresses: public, or reserved for which purpose.
//!
//! From the special-purpose registries of IANA for IPv4 and IPv6 (RFC 6890 and its updates).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Host;

/// The purpose of an address range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind {
    /// Anyone on the Internet.
    Public,
    /// No address at all, or "this network".
    Unspecified,
    /// This machine.
    Loopback,
    /// A private network (RFC 1918).
    Private,
    /// A network of one link; clouds serve the credentials of a machine there.
    LinkLocal,
    /// Between a provider and its customers (RFC 6598).
    CarrierNat,
    /// A private network of IPv6 (RFC 4193), or one of its deprecated forerunners.
    UniqueLocal,
    /// Many machines at once.
    Multicast,
    /// All machines of a network.
    Broadcast,
    /// A service that a cloud offers to its own machines, at an address that looks public.
    Metadata,
    /// Kept for protocols, examples, measurements, or later.
    Reserved,
}

impl AddressKind {
    /// Whether citewire connects to such an address without being told to.
    #[must_use]
    pub fn is_public(self) -> bool {
        self == Self::Public
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Unspecified => "unspecified",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::LinkLocal => "link-local",
            Self::CarrierNat => "carrier-grade NAT",
            Self::UniqueLocal => "unique-local",
            Self::Multicast => "multicast",
            Self::Broadcast => "broadcast",
            Self::Metadata => "cloud metadata",
            Self::Reserved => "reserved",
        })
    }
}

use AddressKind::{
    Broadcast, CarrierNat, LinkLocal, Loopback, Metadata, Multicast, Private, Public, Reserved, UniqueLocal,
    Unspecified,
};

/// IPv4 networks that are not public. The first that holds an address decides.
const V4: &[([u8; 4], u32, AddressKind)] = &[
    ([0, 0, 0, 0], 8, Unspecified),
    ([10, 0, 0, 0], 8, Private),
    ([100, 64, 0, 0], 10, CarrierNat),
    ([127, 0, 0, 0], 8, Loopback),
    // Azure's virtual public address, by which its machines reach the platform.
    ([168, 63, 129, 16], 32, Metadata),
    ([169, 254, 0, 0], 16, LinkLocal),
    ([172, 16, 0, 0], 12, Private),
    ([192, 0, 0, 0], 24, Reserved),
    ([192, 0, 2, 0], 24, Reserved),
    // Relays of 6to4, withdrawn by RFC 7526.
    ([192, 88, 99, 0], 24, Reserved),
    ([192, 168, 0, 0], 16, Private),
    ([198, 18, 0, 0], 15, Reserved),
    ([198, 51, 100, 0], 24, Reserved),
    ([203, 0, 113, 0], 24, Reserved),
    ([224, 0, 0, 0], 4, Multicast),
    ([255, 255, 255, 255], 32, Broadcast),
    ([240, 0, 0, 0], 4, Reserved),
];

/// IPv6 networks that are not public. The first that holds an address decides. What carries an IPv4 address is not here.
const V6: &[([u16; 8], u32, AddressKind)] = &[
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, Unspecified),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, Loopback),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, UniqueLocal),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, UniqueLocal),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, LinkLocal),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Multicast),
    // Protocols: Teredo, ORCHID, benchmarking.
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Reserved),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Reserved),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Reserved),
];

/// IPv6 networks whose addresses carry an IPv4 address, and the bit from which on they do. Such an address leads where the
/// IPv4 address leads.
const CARRIERS: &[([u16; 8], u32, u32)] = &[
    // IPv4-mapped: sockets connect to the IPv4 address.
    ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, 96),
    // IPv4-translated (RFC 2765) and, deprecated, IPv4-compatible.
    ([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, 96),
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, 96),
    // NAT64 with the well-known prefix (RFC 6052).
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, 96),
    // 6to4.
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, 16),
];

/// Public addresses of IPv6 are these; all others are reserved.
const GLOBAL_UNICAST: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The purpose of the range in which this address lies.
#[must_use]
pub fn kind_of(address: IpAddr) -> AddressKind {
    match address {
        IpAddr::V4(address) => kind_of_v4(address),
        IpAddr::V6(address) => kind_of_v6(address),
    }
}

/// Whether this is the machine that citewire runs on: by an address, or by the name that everyone keeps for it.
#[must_use]
pub fn is_this_machine(host: &Host<&str>) -> bool {
    match *host {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => kind_of(address.into()) == AddressKind::Loopback,
        Host::Ipv6(address) => kind_of(address.into()) == AddressKind::Loopback,
    }
}

fn kind_of_v4(address: Ipv4Addr) -> AddressKind {
    let bits = address.to_bits();
    let holds = |network: [u8; 4], length: u32| (bits ^ u32::from_be_bytes(network)).leading_zeros() >= length;
    V4.iter().find(|(network, length, _)| holds(*network, *length)).map_or(Public, |(_, _, kind)| *kind)
}

fn kind_of_v6(address: Ipv6Addr) -> AddressKind {
    let bits = address.to_bits();
    let holds = |network: [u16; 8], length: u32| (bits ^ Ipv6Addr::from(network).to_bits()).leading_zeros() >= length;
    if let Some((_, _, kind)) = V6.iter().find(|(network, length, _)| holds(*network, *length)) {
        return *kind;
    }
    if let Some((_, _, from)) = CARRIERS.iter().find(|(network, length, _)| holds(*network, *length)) {
        let carried = u32::try_from((bits << from) >> 96).expect("32 bits are left");
        return kind_of_v4(Ipv4Addr::from_bits(carried));
    }
    if holds(GLOBAL_UNICAST.0, GLOBAL_UNICAST.1) { Public } else { Reserved }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kind(text: &str) -> AddressKind {
        kind_of(text.parse().unwrap_or_else(|_| panic!("{text} is no address")))
    }

    #[test]
    fn addresses_on_the_internet_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450:4001:81b::200e",
            "2001:4860:4860::8888",
            "2620:fe::fe",
        ] {
            assert_eq!(kind(address), Public, "{address}");
        }
    }

    #[test]
    fn every_special_network_is_known_from_its_first_to_its_last_address() {
        for (first, last, expected) in [
            ("0.0.0.0", "0.255.255.255", Unspecified),
            ("10.0.0.0", "10.255.255.255", Private),
            ("100.64.0.0", "100.127.255.255", CarrierNat),
            ("127.0.0.0", "127.255.255.255", Loopback),
            ("169.254.0.0", "169.254.255.255", LinkLocal),
            ("172.16.0.0", "172.31.255.255", Private),
            ("192.0.0.0", "192.0.0.255", Reserved),
            ("192.0.2.0", "192.0.2.255", Reserved),
            ("192.88.99.0", "192.88.99.255", Reserved),
            ("192.168.0.0", "192.168.255.255", Private),
            ("198.18.0.0", "198.19.255.255", Reserved),
            ("198.51.100.0", "198.51.100.255", Reserved),
            ("203.0.113.0", "203.0.113.255", Reserved),
            ("224.0.0.0", "239.255.255.255", Multicast),
            ("240.0.0.0", "255.255.255.254", Reserved),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", UniqueLocal),
            ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", LinkLocal),
            ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", UniqueLocal),
            ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Multicast),
            ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
        ] {
            assert_eq!((kind(first), kind(last)), (expected, expected), "{first} to {last}");
        }
    }

    #[test]
    fn single_addresses_are_known() {
        assert_eq!(kind("255.255.255.255"), Broadcast);
        assert_eq!(kind("::"), Unspecified);
        assert_eq!(kind("::1"), Loopback);
    }

    #[test]
    fn the_metadata_services_of_clouds_are_not_public() {
        for (cloud, address) in [
            ("most", "169.254.169.254"),
            ("Amazon ECS", "169.254.170.2"),
            ("Amazon by IPv6", "fd00:ec2::254"),
            ("Google by IPv6", "fd20:ce::254"),
            ("Azure", "168.63.129.16"),
            ("Alibaba", "100.100.100.200"),
            ("Oracle", "192.0.0.192"),
        ] {
            assert!(!kind(address).is_public(), "{cloud}: {address}");
        }
    }

    #[test]
    fn an_ipv4_address_inside_of_ipv6_is_judged_as_what_it_is() {
        for form in ["::ffff:{}", "::ffff:0:{}", "64:ff9b::{}", "::{}"] {
            for (address, expected) in [
                ("127.0.0.1", Loopback),
                ("10.1.2.3", Private),
                ("169.254.169.254", LinkLocal),
                ("168.63.129.16", Metadata),
                ("100.64.0.1", CarrierNat),
                ("224.0.0.1", Multicast),
                ("8.8.8.8", Public),
            ] {
                let text = form.replace("{}", address);
                assert_eq!(kind(&text), expected, "{text}");
            }
        }
        assert_eq!((kind("2002:7f00:1::"), kind("2002:808:808::1")), (Loopback, Public), "6to4");
        assert_eq!(kind("2002:a9fe:a9fe::1"), LinkLocal, "6to4");
    }

    #[test]
    fn what_is_no_global_unicast_is_reserved() {
        for address in ["64:ff9b:1::a00:1", "100::1", "1000::1", "5f00::1", "4000::", "fbff::1", "fe00::1"] {
            assert_eq!(kind(address), Reserved, "{address}");
        }
    }

    proptest! {
        #[test]
        fn mapping_an_address_changes_nothing(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            prop_assert_eq!(kind_of(address.to_ipv6_mapped().into()), kind_of(address.into()));
        }

        #[test]
        fn what_the_standard_library_calls_special_is_never_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private() || address.is_loopback() || address.is_link_local()
                || address.is_multicast() || address.is_broadcast() || address.is_unspecified()
                || address.is_documentation();
            prop_assert!(!(special && kind_of(address.into()).is_public()), "{}", address);
        }

        #[test]
        fn every_ipv6_address_has_a_kind(bits: u128) {
            let address = Ipv6Addr::from_bits(bits);
            let special = address.is_loopback() || address.is_unspecified() || address.is_multicast()
                || address.is_unique_local() || address.is_unicast_link_local();
            prop_assert!(!(special && kind_of(address.into()).is_public()), "{}", address);
        }
    }
}
