import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NoteKey } from '#evidence/note/note-key.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'

/** Verifies an export in a folder as `audit verify` does. Throws unless all verifies. */
export function verifyFolder(folder: string, key: NoteKey): void {
  const files = {
    read(path: string) {
      try {
        return readFileSync(join(folder, path))
      } catch {
        return null
      }
    },
  }
  const bad = verifyLog(files, key, null).filter(({ outcome }) => outcome !== 'holds')
  if (bad.length > 0) throw new Error(JSON.stringify(bad).slice(0, 4000))
}
