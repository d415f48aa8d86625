import { readFile, rm } from 'node:fs/promises'
import type { ProcessIdentity } from './process-identity.ts'
import { writeWhole } from './write-whole.ts'

/** Remember which process it was; written whole or not at all. Mode 0600. */
export async function writeIdentityFile(file: string, identity: ProcessIdentity): Promise<void> {
  await writeWhole(file, `${JSON.stringify(identity)}\n`, 0o600)
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
