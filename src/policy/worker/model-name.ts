import { parseYaml } from '../reading/parse-yaml.ts'
import { canonicalRelative } from '../reading/relative-path.ts'
import { modelProviders, type ModelProvider } from '#domain/model-provider.ts'
import { nameForm } from '#domain/name-form.ts'
import { LineCounter } from 'yaml'
import { splitFrontMatter } from './front-matter.ts'

/**
 * A worker's `model`, parsed: a provider's model, one of an endpoint that countersign.yaml names,
 * or a script by its canonical path in the project folder.
 */
export type ModelName =
  | { readonly kind: 'provider'; readonly provider: ModelProvider; readonly id: string }
  | { readonly kind: 'endpoint'; readonly endpoint: string; readonly id: string }
  | { readonly kind: 'script'; readonly path: string }

/**
 * Parses `anthropic:claude-…`, `script:./file.yaml`, or `NAME:MODEL` of an endpoint; `null` when it
 * is none of them.
 */
export function parseModelName(text: string): ModelName | null {
  const colon = text.indexOf(':')
  const prefix = text.slice(0, Math.max(colon, 0))
  const rest = text.slice(colon + 1)
  if (rest.trim() === '' || rest !== rest.trim()) return null
  if (prefix === 'script') {
    const path = canonicalRelative(rest)
    return path === null || path === '' ? null : { kind: 'script', path }
  }
  const provider = modelProviders.find((one) => one === prefix)
  if (provider !== undefined) return { kind: 'provider', provider, id: rest }
  return nameForm.test(prefix) ? { kind: 'endpoint', endpoint: prefix, id: rest } : null
}

/**
 * The script that a worker file's model names, by its path in the project folder; `null` when it
 * names none.
 */
export function scriptPathOf(workerText: string): string | null {
  const parts = splitFrontMatter(workerText)
  if (parts === null) return null
  try {
    const document = parseYaml(parts.yaml, new LineCounter())
    const settings: unknown = 'tooMuch' in document ? null : document.toJS()
    if (typeof settings !== 'object' || settings === null || !('model' in settings)) return null
    const model = typeof settings.model === 'string' ? parseModelName(settings.model) : null
    return model?.kind === 'script' ? model.path : null
  } catch {
    return null
  }
}
