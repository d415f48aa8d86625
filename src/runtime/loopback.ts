import { isIPv4 } from 'node:net'

/** Whether only this machine can reach a listener on that host. A name other than `localhost` is not known to be. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost' || bare === '::1') return true
  return isIPv4(bare) && bare.startsWith('127.')
}
