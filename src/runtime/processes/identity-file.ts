import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { ProcessIdentity } from './process-identity.ts'

/** Remember which process it was; written whole or not at all. Mode 0600. */
export async function writeIdentityFile(file: string, identity: ProcessIdentity): Promise<void> {
  const half = `${file}.${process.pid}.new`
  await writeFile(half, `${JSON.stringify(identity)}\n`, { mode: 0o600 })
  await rename(half, file)
}

/** The remembered process, or `null` when there is none (or the file makes no sense). */
export async function readIdentityFile(file: string): Promise<ProcessIdentity | null> {
  try {
    const read = JSON.parse(await readFile(file, 'utf8')) as Partial<ProcessIdentity>
    const { pid, startedAt } = read
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null
  } catch {
    return null
  }
}

/** Forget it. */
export async function removeIdentityFile(file: string): Promise<void> {
  await rm(file, { force: true })
}
