import { wordSet } from '#domain/text/word-set.ts'
import { existsSync, lstatSync, readlinkSync } from 'node:fs'

/** The host's programs: folders, or links into `/usr`. `masked`: files nobody can open. */
export type SystemFolder =
  | { readonly path: string; readonly kind: 'folder' | 'masked' }
  | { readonly path: string; readonly kind: 'link'; readonly to: string }

const candidates = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']
/**
 * Files in which the kernel reveals facts about the whole host: keys, memory, timers. A process
 * with the id of root can open those that belong to root, even without capabilities.
 */
const hiddenFiles = [
  ...wordSet(`
    allocinfo kcore key-users keys kpagecgroup kpagecount kpageflags latency_stats mtrr
    pagetypeinfo sched_debug slabinfo timer_list vmallocinfo`),
].map((name) => `/proc/${name}`)

/** The system's existing folders of programs and libraries; a command sees them read-only. */
export function systemFolders(): readonly SystemFolder[] {
  return [
    ...programFolders(),
    ...hiddenFiles.filter(existsSync).map((path) => ({ path, kind: 'masked' }) as const),
  ]
}

function programFolders(): SystemFolder[] {
  return candidates.flatMap((path): SystemFolder[] => {
    const state = lstatSync(path, { throwIfNoEntry: false })
    if (state?.isSymbolicLink() === true) return [{ path, kind: 'link', to: readlinkSync(path) }]
    return state?.isDirectory() === true ? [{ path, kind: 'folder' }] : []
  })
}

/** The files in `/etc` that programs need; none that names people, keys or other hosts. */
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
