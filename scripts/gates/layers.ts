import { cruise, type IForbiddenRuleType, type ICruiseResult } from 'dependency-cruiser'
import { join } from 'node:path'
import { brokenOrders, roomOrders } from './room-orders.ts'
import { Visitor } from '@swc/core/Visitor.js'
import type { Statement, VariableDeclarator } from '@swc/core'

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
  // Only types of the API: see `clients-take-types`.
  client: ['api/operations[.]ts$'],
  // The reader of the configuration checks the keys of witnesses.
  policy: ['domain/', 'store/', 'sandbox/', 'evidence/(malformed-evidence|note/note-key)[.]ts$'],
  models: ['domain/', 'store/', 'sandbox/', 'policy/'],
  tools: ['domain/', 'store/', 'sandbox/', 'policy/'],
  // Only types of the API's schemas, which declare what a verb returns: see `services-take-types`.
  services: [...belowServices, 'evidence/', 'api/schemas/'],
  // The names of signals and the types of arguments are shared by client and workflow.
  delivery: [...belowDelivery, 'workflows/(messages|activity-port)[.]ts$'],
  activities: [...belowDelivery, 'delivery/', 'workflows/activity-port[.]ts$'],
  api: [...belowDelivery, 'delivery/'],
  // Only types of the API: see `clients-take-types`.
  ui: ['domain/', 'api/', 'client/call[.]ts$'],
  // Speaks HTTP, to the service that it finds by folder or environment; `entryPoints` compose. The
  // hook looks at files, and `policy apply` changes one.
  cli: [
    'domain/',
    'client/',
    'evidence/',
    'api/',
    'runtime/(environment|files|folders|version|own-command)[.]ts$',
    'sandbox/(workspace|open-directory)[.]ts$',
    'policy/names/secret-names[.]ts$',
    'policy/reading/did-you-mean[.]ts$',
  ],
}

/**
 * The entry of the command line, and the commands that run on this host instead of calling the
 * service. They compose other layers.
 */
const entryPoints =
  '^src/cli/(main|commands/(init|check|host/(start|processes|doctor|backup|rotate-key))|(start|init|check|doctor|witness)/[^/]+)[.]ts$'

/** Files of `src/` without layer rules: tests import whatever they need. */
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
      // The rule of `cli` says which files its other commands may read.
      from: { path: '^src/', pathNot: ['^src/(runtime|cli)/', tests] },
      to: { path: '^src/runtime/' },
    },
    {
      name: 'system-is-for-entry-points',
      comment: 'only what starts a process of the service says that it is one',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/runtime/', tests] },
      to: { path: '^src/services/core/system[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'clients-take-types',
      comment: 'the dashboard and the client take types of the API, never its code',
      severity: 'error',
      from: { path: '^src/(ui|client)/' },
      to: { path: '^src/api/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'services-take-types',
      comment: 'a verb takes the type of its answer from the schemas of the API, never their code',
      severity: 'error',
      from: { path: '^src/services/', pathNot: tests },
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

/** The number of modules that were checked, and each broken rule as a sentence. */
export interface LayerReport {
  modules: number
  violations: string[]
}

/**
 * Checks every import, also of types, in the `src` folder below `root`: between layers, and between
 * the rooms of folders that have an order.
 */
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
  const modules = result.modules.filter((module) => module.source.startsWith('src/'))
  const betweenLayers = result.summary.violations.map((violation) => {
    const rule = layerRules().find(({ name }) => name === violation.rule.name)
    const target = violation.cycle?.map((step) => step.name).join(' -> ') ?? violation.to
    return `${violation.from} -> ${target}: ${rule?.comment ?? violation.rule.name}`
  })
  const files = modules.map(({ source, dependencies }) => ({
    path: source,
    imports: dependencies.map(({ resolved }) => resolved),
    isTest: new RegExp(tests).test(source),
  }))
  return {
    modules: modules.length,
    violations: [
      ...betweenLayers,
      ...modules.flatMap(climbingImports),
      ...brokenOrders(roomOrders, files),
    ],
  }
}

/** Imports of another layer by `../`, which hide the layer and break when the file moves. */
function climbingImports({ source, dependencies }: ICruiseResult['modules'][number]): string[] {
  return dependencies.flatMap(({ module: written, resolved }) =>
    written.startsWith('../') &&
    /^(src|test)\//.test(resolved) &&
    layerOf(resolved) !== layerOf(source)
      ? [`${source} -> ${resolved}: another layer is written #${resolved.replace(/^src\//, '')}`]
      : [],
  )
}

/** `src/domain` of `src/domain/text/clip.ts`. */
function layerOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

/** The folder this checkout lies in. */
export const projectRoot = join(import.meta.dirname, '..', '..')

/**
 * swc's own visitor, which dependency-cruiser walks with, throws at `using` declarations. They are
 * walked like other declarations from here on, so that imports inside them are seen too.
 */
const visitor = Visitor.prototype
const visitOthers = visitor.visitStatement

visitor.visitStatement = function (statement: Statement): Statement {
  const { type, decls } = statement as unknown as { type: string; decls: VariableDeclarator[] }
  if (type !== 'UsingDeclaration') return visitOthers.call(this, statement)
  this.visitVariableDeclarators(decls)
  return statement
}
