import { cruise, type IForbiddenRuleType, type ICruiseResult } from 'dependency-cruiser'
import { join } from 'node:path'
import './using-declarations.ts'

const belowServices = ['domain/', 'store/', 'sandbox/', 'policy/', 'models/', 'tools/']
const belowDelivery = [...belowServices, 'services/', 'evidence/']

/**
 * What each folder of `src/` may import besides itself: `domain < {store, sandbox} < policy <
 * {models, tools} < services < delivery < {activities, api}`, and the edges beside that line.
 * Each entry is a regular expression for the part of the path after `src/`.
 */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  store: ['domain/'],
  sandbox: ['domain/'],
  evidence: ['domain/'],
  workflows: ['domain/'],
  // For other programs: nothing of ours comes with it.
  client: [],
  // A witness's key is checked by whoever reads the configuration.
  policy: ['domain/', 'store/', 'sandbox/', 'evidence/(malformed|note/note-key)[.]ts$'],
  models: ['domain/', 'store/', 'sandbox/', 'policy/'],
  tools: ['domain/', 'store/', 'sandbox/', 'policy/'],
  services: [...belowServices, 'evidence/'],
  // The names of signals and the types of arguments are shared by client and workflow.
  delivery: [...belowDelivery, 'workflows/(messages|run-position|activity-port)[.]ts$'],
  activities: [...belowDelivery, 'delivery/', 'workflows/(activity-port|task-queues)[.]ts$'],
  api: [...belowDelivery, 'delivery/'],
  // Only types of the API: see `dashboard-takes-types`.
  ui: ['domain/', 'api/'],
  // Speaks HTTP, to the service that it finds by folder or environment; `entryPoints` compose.
  cli: ['domain/', 'client/', 'evidence/', 'api/', 'runtime/(environment|folders)[.]ts$'],
}

/** The command's entry, and commands that run here instead of asking the service, with their parts: they compose. */
const entryPoints =
  '^src/cli/(main|(commands/)?(start|processes|migrate|init|check|doctor|backup|audit-verify|rotate-key)|(check|init|witness)/[^/]+)[.]ts$'

/** Files of `src/` that layer rules leave alone: tests reach for what they need. */
const tests = '[.](test|fixture)[.]tsx?$'

/** The layer rules in dependency-cruiser's form, one for each folder and the three general ones. */
function layerRules(): IForbiddenRuleType[] {
  const layers = Object.entries(allowedImports).map(([layer, allowed]): IForbiddenRuleType => {
    const within = [`${layer}/`, ...allowed]
    return {
      name: `imports-of-${layer}`,
      comment: `src/${layer} imports only ${allowed.join(', ') || 'itself'}`,
      severity: 'error',
      from: { path: `^src/${layer}/`, pathNot: [tests, entryPoints] },
      to: { path: '^(src|test|bench|scripts)/', pathNot: `^src/(${within.join('|')})` },
    }
  })
  return [
    ...layers,
    {
      name: 'no-cycles',
      comment: 'an import that comes back to its own file',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'runtime-is-for-entry-points',
      comment: 'only what starts a process composes it',
      severity: 'error',
      // The rule of `cli` says which two files its other commands may read.
      from: { path: '^src/', pathNot: ['^src/(runtime|cli)/', tests] },
      to: { path: '^src/runtime/' },
    },
    {
      name: 'dashboard-takes-types',
      comment: 'the dashboard takes types of the API, never its code',
      severity: 'error',
      from: { path: '^src/ui/' },
      to: { path: '^src/api/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable',
      comment: 'an import that leads nowhere',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, path: '^[.#/]' },
    },
  ]
}

/** How many modules were looked at, and each broken rule as a sentence. */
export interface LayerReport {
  modules: number
  violations: string[]
}

/** Judges every import, those of types included, of the `src` folder below `root`. */
export async function checkLayers(root: string): Promise<LayerReport> {
  const { output } = await cruise(
    ['src'],
    {
      baseDir: root,
      parser: 'swc',
      validate: true,
      doNotFollow: { path: 'node_modules' },
      ruleSet: { forbidden: layerRules() },
      enhancedResolveOptions: { conditionNames: ['import', 'types', 'node', 'default'] },
    },
    { extensions: ['.ts', '.tsx', '.js', '.mjs', '.css', '.json'] },
  )
  const result = output as ICruiseResult
  return {
    modules: result.modules.filter((module) => module.source.startsWith('src/')).length,
    violations: result.summary.violations.map((violation) => {
      const rule = layerRules().find((known) => known.name === violation.rule.name)
      const way = violation.cycle?.map((step) => step.name).join(' -> ') ?? violation.to
      return `${violation.from} -> ${way}: ${rule?.comment ?? violation.rule.name}`
    }),
  }
}

/** The folder this checkout lies in. */
export const projectRoot = join(import.meta.dirname, '..', '..')
