import { lstatSync, readlinkSync } from 'node:fs'

/** How this host lays out its programs: folders, or links into `/usr`. */
export type SystemFolder =
  | { readonly path: string; readonly kind: 'folder' }
  | { readonly path: string; readonly kind: 'link'; readonly to: string }

const candidates = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** What there is of the system's folders of programs and libraries; a command sees them read-only. */
export function systemFolders(): readonly SystemFolder[] {
  return candidates.flatMap((path): SystemFolder[] => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) return [{ path, kind: 'link', to: readlinkSync(path) }]
    return found?.isDirectory() === true ? [{ path, kind: 'folder' }] : []
  })
}

/** What programs need of `/etc`; nothing that names people, keys or other hosts. */
export const systemFiles = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/pki/tls/certs',
  '/etc/protocols',
  '/etc/services',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
] as const
