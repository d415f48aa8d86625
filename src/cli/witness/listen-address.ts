import { isLoopback } from '../../runtime/loopback.ts'
import { CommandFailure, exitCodes } from '../exit-codes.ts'

/**
 * Reads `HOST:PORT` or `[::1]:PORT`. Throws a sentence when it is none, or when other machines could reach it without TLS or a
 * declared proxy (security.md 26). `shown`: the host as it stands in an address.
 */
export function listenAddress(
  text: string,
  isTrusted: boolean,
): { readonly host: string; readonly port: number; readonly shown: string } {
  const [, shown = '', digits = ''] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (shown === '' || port > 65_535) {
    throw new CommandFailure('--listen takes HOST:PORT, like 127.0.0.1:4480', exitCodes.usage)
  }
  if (!isLoopback(shown) && !isTrusted) {
    throw new CommandFailure(
      `--listen ${text} would let other machines in without TLS: give --tls-cert and --tls-key, or put a proxy in ` +
        'front and say --behind-proxy',
      exitCodes.usage,
    )
  }
  return { host: shown.replace(/^\[(.*)\]$/, '$1'), port, shown }
}
