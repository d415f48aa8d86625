import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configFile } from '../../policy/project/config/read-config.ts'
import { splitFrontMatter } from '../../policy/worker/front-matter.ts'

/**
 * A file that would count as one of a project's as soon as the folder is one, and was not meant so: code below tools/,
 * which would be loaded, or a page in workers/. `null` when there is none, or the folder is a project already.
 */
export async function foreignFile(dir: string): Promise<string | null> {
  const top = await namesIn(dir)
  if (top.includes(configFile)) return null
  const code = (await namesIn(join(dir, 'tools'))).find((name) => /\.[cm]?[jt]s$/.test(name))
  if (code !== undefined) return `tools/${code}`
  for (const name of await namesIn(join(dir, 'workers'))) {
    if (!name.endsWith('.md')) continue
    const text = await readFile(join(dir, 'workers', name), 'utf8').catch(() => '')
    if (splitFrontMatter(text) === null) return `workers/${name}`
  }
  return null
}

async function namesIn(dir: string): Promise<string[]> {
  const names: string[] = await readdir(dir).catch(() => [])
  return names.toSorted()
}
