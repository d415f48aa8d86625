import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '#sandbox/proxy/public-addresses.ts'
import { findTarget } from './find-target.ts'

const strict = { allow: [], isDevelopment: false }
const to =
  (...addresses: string[]) =>
  async (): Promise<string[]> =>
    addresses

// Rules: security.md 23
describe('addresses of webhooks', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://127.1/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://172.31.255.255/',
    'https://192.0.0.8/',
    'https://192.0.2.1/',
    'https://192.88.99.1/',
    'https://192.168.0.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:a00:1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fc00::1]/',
    'https://[fd12:3456::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
  ])('refuses %s: it is private, in whatever notation', async (url) => {
    await expect(findTarget(new URL(url), strict)).rejects.toThrow('webhooks.allow')
  })

  it('refuses a name with a private address, also if another of its addresses is public', async () => {
    const url = new URL('https://hooks.example.com/')
    await expect(findTarget(url, strict, to('10.0.0.7'))).rejects.toThrow('10.0.0.7')
    await expect(findTarget(url, strict, to('93.184.215.14', 'fe80::1%eth0'))).rejects.toThrow(
      'fe80::1%eth0',
    )
    await expect(findTarget(url, strict, to('::ffff:192.168.1.1'))).rejects.toThrow('private')
    await expect(findTarget(url, strict, to())).rejects.toThrow('no address')
    await expect(findTarget(new URL('https://localhost/'), strict)).rejects.toThrow('private')
  })

  it('accepts public addresses, and private ones that webhooks.allow lists, mapped into IPv6 or not', async () => {
    const url = new URL('https://hooks.example.com/')
    expect(await findTarget(url, strict, to('93.184.215.14'))).toBe('93.184.215.14')
    expect(await findTarget(url, strict, to('2606:2800:21f::1'))).toBe('2606:2800:21f::1')
    expect(isPublicAddress('::ffff:93.184.215.14')).toBe(true)
    const allow = ['10.0.0.0/8', 'fd00::/8', '192.168.1.4']
    for (const address of ['10.0.0.7', '::ffff:10.0.0.7', 'fd00::7', '192.168.1.4']) {
      expect(await findTarget(url, { ...strict, allow }, to(address))).toBe(address)
    }
    await expect(findTarget(url, { ...strict, allow }, to('192.168.1.5'))).rejects.toThrow(
      'private',
    )
  })

  it('accepts http only to this machine in the development profile, whatever webhooks.allow lists', async () => {
    const url = new URL('http://hooks.example.com/')
    const allow = ['0.0.0.0/0']
    const development = { allow, isDevelopment: true }
    expect(await findTarget(url, development, to('127.0.0.1'))).toBe('127.0.0.1')
    await expect(findTarget(url, development, to('93.184.215.14'))).rejects.toThrow('use https')
    await expect(findTarget(url, { ...strict, allow }, to('127.0.0.1'))).rejects.toThrow(
      'use https',
    )
  })
})
