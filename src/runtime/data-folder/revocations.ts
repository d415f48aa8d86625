import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Revocations, Revocation } from '#domain/statements/row-seals.ts'

/**
 * What was ended for good, in `DATA/ledger/revoked.log`: a line each, shared by the processes of
 * the data folder. Asking costs a look at the file's size, and reading only what was appended
 * since.
 */
export function openRevocations(dataDir: string): Revocations {
  const folder = join(dataDir, 'ledger')
  const path = join(folder, 'revoked.log')
  const revoked = new Set<string>()
  let readTo = 0
  let rest = ''

  function catchUp(): void {
    let file: number
    try {
      file = openSync(path, 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    try {
      const { size } = fstatSync(file)
      while (readTo < size) {
        const buffer = Buffer.alloc(Math.min(size - readTo, 65_536))
        const bytes = readSync(file, buffer, 0, buffer.length, readTo)
        if (bytes === 0) return
        readTo += bytes
        const lines = (rest + buffer.toString('latin1', 0, bytes)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) revoked.add(line)
      }
    } finally {
      closeSync(file)
    }
  }

  return {
    has({ what, id }) {
      catchUp()
      return revoked.has(`${what} ${id}`)
    },
    async add(revoked: readonly Revocation[]) {
      if (revoked.length === 0) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await using file = await open(path, 'a', 0o600)
      // A line that a crash left half written ends here, and spoils no other one.
      await file.appendFile(`\n${revoked.map(({ what, id }) => `${what} ${id}`).join('\n')}\n`)
      await file.datasync()
    },
  }
}
