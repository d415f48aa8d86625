import { randomBytes } from 'node:crypto'
import { access, cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKOUT } from '../folders.ts'

/** The example that is played where there is no project: a working copy, since its files get changed. Made once. */
export async function prepareQuickstart(
  projectDir: string,
  log: (sentence: string) => void,
): Promise<void> {
  const made = await access(join(projectDir, 'countersign.yaml')).then(
    () => true,
    () => false,
  )
  if (made) return
  log(`no countersign.yaml here: using a copy of the quickstart example in ${projectDir}`)
  const half = `${projectDir}.${randomBytes(4).toString('hex')}`
  await cp(join(CHECKOUT, 'examples', 'quickstart'), half, { recursive: true })
  await rename(half, projectDir)
}
