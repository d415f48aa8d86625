import { BlockList, isIP } from 'node:net'
import { specialNetworks4 } from '#domain/network/special-networks.ts'

const special4 = rangesOf(specialNetworks4)
const global6 = rangesOf(['2000::/3'])
/** Global ranges without hosts, or with an embedded IPv4 address: 6to4, Teredo, documentation. */
const special6 = rangesOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])
const mapped4 = rangesOf(['::ffff:0:0/96'])

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

/** Whether an address is certainly public. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special4.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  // The IPv4 ranges also apply to addresses mapped into IPv6.
  if (mapped4.check(address, 'ipv6')) return !special4.check(address, 'ipv6')
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

/** An address with a zone (`fe80::1%eth0`) is in no range. */
export function isWithin(ranges: BlockList, address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ranges.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
