import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { devTokenFile } from '../../data-folder/run-secrets.ts'
import { applicationPasswordFileOf, passwordFileOf } from '../../embedded/postgres-address.ts'
import { hostProofFile } from '../../folders.ts'
import { keyFolder, publicKeyFolder } from '../../keys/key-files.ts'
import type { Check, Finding } from '../target/check.ts'

const minFreeBytes = 1024 ** 3

/** The data folder exists, has space, and only its owner can read its secrets. */
export const checkDataFolder: Check = async ({ folders: { dataDir } }) => {
  const folder = await stat(dataDir).catch(() => null)
  if (folder === null) {
    return [
      {
        check: 'data',
        state: 'warning',
        found: `${dataDir} does not exist: nothing was started with this data folder yet`,
        remedy: 'run "countersign start", or name the right folder with --data',
      },
    ]
  }
  const findings: Finding[] = []
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  const gigabytes = (free / 1024 ** 3).toFixed(1)
  findings.push(
    free < minFreeBytes
      ? {
          check: 'data',
          state: 'problem',
          found: `${dataDir} has ${gigabytes} GB left`,
          remedy: 'make room: Postgres stops taking decisions when the disk is full',
        }
      : { check: 'data', state: 'ok', found: `${dataDir}, ${gigabytes} GB free` },
  )
  for (const file of await secretFiles(dataDir)) {
    const secret = await stat(file).catch(() => null)
    if (secret !== null && (secret.mode & 0o077) !== 0) {
      findings.push({
        check: 'secrets',
        state: 'problem',
        found: `${file} can be read by others`,
        remedy: `chmod 600 "${file}"; when somebody may have read it, replace it`,
      })
    }
  }
  return findings
}

/** The files of a data folder that only its owner may read: passwords, tokens and private keys. */
async function secretFiles(dataDir: string): Promise<string[]> {
  const keys = await readdir(keyFolder(dataDir), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )
  const postgres = join(dataDir, 'postgres')
  return [
    ...keys
      .filter((entry) => !entry.isDirectory() && entry.parentPath !== publicKeyFolder(dataDir))
      .map(({ name, parentPath }) => join(parentPath, name)),
    passwordFileOf(postgres),
    applicationPasswordFileOf(postgres),
    devTokenFile(dataDir),
    hostProofFile(dataDir),
  ]
}
