import { randomBytes } from 'node:crypto'
import { cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { checkoutFolder } from '../folders.ts'
import { exists } from '../files.ts'

/** The example for folders without a project: a working copy, since its files change. Made once. */
export async function prepareQuickstart(
  projectDir: string,
  log: (sentence: string) => void,
): Promise<void> {
  const isMade = await exists(join(projectDir, 'countersign.yaml'))
  if (isMade) return
  log(`no countersign.yaml here: using a copy of the quickstart example in ${projectDir}`)
  const half = `${projectDir}.${randomBytes(4).toString('hex')}`
  await cp(join(checkoutFolder, 'examples', 'quickstart'), half, { recursive: true })
  await rename(half, projectDir)
}
