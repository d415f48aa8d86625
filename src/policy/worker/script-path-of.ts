import { parse } from 'yaml'
import { splitFrontMatter } from './front-matter.ts'
import { parseModelName } from './model-name.ts'

/** The script that a worker file's model names, by its path in the project folder; `null` when it names none. */
export function scriptPathOf(workerText: string): string | null {
  const parts = splitFrontMatter(workerText)
  if (parts === null) return null
  try {
    const settings: unknown = parse(parts.yaml, { logLevel: 'silent', uniqueKeys: false })
    if (typeof settings !== 'object' || settings === null || !('model' in settings)) return null
    const model = typeof settings.model === 'string' ? parseModelName(settings.model) : null
    return model?.kind === 'script' ? model.path : null
  } catch {
    return null
  }
}
