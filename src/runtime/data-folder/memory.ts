import { errorCode } from '#domain/error-code.ts'
import { mkdir } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Memory, KnownPolicy } from '#services/core/ledger.ts'
import { writeKeyFile } from '../keys/key-files.ts'
import { readOnChange } from '../keys/read-on-change.ts'

/** The stored values; an invalid file is an error and does not count as a missing one. */
interface StoredMemory {
  readonly policy: KnownPolicy | null
  readonly epoch: number
}

/**
 * The memory in `DATA/ledger/newest.json`, shared by the processes of a data folder. It is read
 * again after each change, so that `doctor --repair` takes effect in all of them.
 */
export function openMemory(dataDir: string): Memory {
  const look = readOnChange(fileOf(dataDir), () => readStored(dataDir))
  return {
    policy: () => look().policy,
    epoch: () => look().epoch,
    async rememberPolicy(newest) {
      const storedMemory = readStored(dataDir)
      if (storedMemory.policy !== null && storedMemory.policy.sequence >= newest.sequence) return
      await store(dataDir, { ...storedMemory, policy: newest })
    },
  }
}

/**
 * Records that somebody accepted the database as it is, perhaps with an older policy. From now on
 * `epoch` is its newest epoch.
 */
export async function acceptDatabase(dataDir: string, epoch: number): Promise<void> {
  await store(dataDir, { policy: null, epoch })
}

async function store(dataDir: string, storedMemory: StoredMemory): Promise<void> {
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 })
  await writeKeyFile(fileOf(dataDir), `${JSON.stringify(storedMemory)}\n`, 0o600)
}

function readStored(dataDir: string): StoredMemory {
  let text: string
  try {
    text = readFileSync(fileOf(dataDir), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { policy: null, epoch: 0 }
    throw error
  }
  return JSON.parse(text) as StoredMemory
}

function folderOf(dataDir: string): string {
  return join(dataDir, 'ledger')
}

function fileOf(dataDir: string): string {
  return join(folderOf(dataDir), 'newest.json')
}
