import { BlockList, isIP } from 'node:net'

/** IPv4 that leads nowhere public (IANA's special-purpose registry). */
const special4 = rangesOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])
const global6 = rangesOf(['2000::/3'])
/** Of those the ones that are no host's, or carry an IPv4 address inside: 6to4, Teredo, documentation. */
const special6 = rangesOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])
const mapped4 = rangesOf(['::ffff:0:0/96'])
const loopback = rangesOf(['127.0.0.0/8', '::1/128'])

/** Addresses and ranges as one set; `10.0.0.0/8` covers the same addresses mapped into IPv6. */
export function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether an address may be one of the public Internet. Whatever is not known to be is not. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special4.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  // The ranges of IPv4 hold for the same addresses mapped into IPv6.
  if (mapped4.check(address, 'ipv6')) return !special4.check(address, 'ipv6')
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

export function isLoopbackAddress(address: string): boolean {
  return isWithin(loopback, address)
}

/** An address with a zone (`fe80::1%eth0`) is in no range. */
export function isWithin(ranges: BlockList, address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ranges.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
