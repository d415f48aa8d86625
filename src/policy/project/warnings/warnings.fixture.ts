import { parseProject } from '../parse-project.ts'

/** A configuration that is warned of nothing. */
export const base = `version: 1
teams:
  platform: { members: [ada@example.com, grace@example.com] }
queues:
  platform: { team: platform, expiresAfter: 72h }
defaults: { queue: platform }
`

/** What a folder is warned of, as `file:line problem; remedy`. */
export function warnings(
  more: { config?: string; queue?: string; worker?: string } = {},
): string[] {
  const config = base.replace('expiresAfter: 72h', more.queue ?? 'expiresAfter: 72h')
  const parsed = parseProject({
    texts: new Map([
      ['countersign.yaml', `${config}${more.config ?? ''}`],
      ['workers/scribe.md', `---\nmodel: anthropic:x\n${more.worker ?? ''}\n---\nWrite.\n`],
    ]),
    toolFiles: [],
  })
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems, null, 1))
  return parsed.warnings.map((one) => `${one.file}:${one.line} ${one.problem}; ${one.remedy}`)
}

/** For a worker's file: one zone, and it with these shell rules. */
export const zone = 'zones: [{ name: all, root: ., mode: rw }]'
export const shell = (...rules: string[]): string =>
  `${zone}\nshell:\n  rules:\n${rules.map((rule) => `    - { ${rule} }`).join('\n')}`
