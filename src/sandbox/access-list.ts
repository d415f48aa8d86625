import { spawn } from 'node:child_process'
import type { FileHandle } from 'node:fs/promises'

/** Of the system's own folder: no PATH decides which program this is. */
const copier = '/bin/cp'
const words = ['--attributes-only', '--preserve=mode', '--', '/proc/self/fd/3', '/proc/self/fd/4']

/**
 * Gives an open file the mode of another one with its access list (ACL), as `cp` does: Node has no
 * call for it. The group bits of a file with a list are the list's mask, so that the mode alone
 * would let in the owning group where the list does not. Where `cp` does not know how, or the file
 * system has no lists, nothing is changed.
 */
export async function copyAccessList(from: FileHandle, to: FileHandle): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const child = spawn(copier, words, {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', from.fd, to.fd],
    timeout: 10_000,
  })
  child.once('error', () => resolve())
  child.once('close', () => resolve())
  await promise
}
