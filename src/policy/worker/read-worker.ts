import type { WorkerDefinition, WorkerLimits } from '../worker-definition.ts'
import {
  type Names,
  readBoolean,
  readChoice,
  readAmount,
  readCount,
  readDuration,
  readOneOrMany,
  readReference,
  readText,
} from '../reading/values.ts'
import { didYouMean } from '../reading/did-you-mean.ts'
import { openYaml } from '../reading/open-yaml.ts'
import type { Report } from '../reading/report.ts'
import {
  fieldSource,
  readFields,
  wrong,
  type Fields,
  type YamlField,
  readJson,
} from '../reading/yaml-field.ts'
import { splitFrontMatter } from './front-matter.ts'
import { modelProviders } from '#domain/model-provider.ts'
import { parseModelName } from './model-name.ts'
import { defaultModelSettings, readModelSettings } from './read-model-settings.ts'
import { readMcpServers } from './read-mcp-servers.ts'
import { readSandbox } from './read-sandbox.ts'
import { readShell } from './read-shell.ts'
import { readTools } from './read-tools.ts'
import { readZones, zoneNamesAt } from './read-zones.ts'
import { workerDigest } from './worker-digest.ts'
import { keysOf } from '../schema/parts.ts'
import { limits, workerFileSchema } from '../schema/worker-file.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { schemaProblem } from './input-schema.ts'

const defaultLimits: WorkerLimits = {
  turns: 40,
  calls: 200,
  tokens: 2_000_000,
  costUsd: null,
}

const defaultRestForMs = 7 * 86_400_000

/** The context for reading a worker file: its name from its path, and the names it may refer to. */
export interface WorkerFile {
  readonly file: string
  readonly name: string
  readonly text: string
  /** text of a script by its path in the project folder */
  readonly scriptText: (path: string) => string | null
  /** `null`: references to other parts of the folder are not checked */
  readonly names: Names | null
}

/** Reads a worker file as far as possible; `null` when it has no usable front matter or model. */
export function readWorker(report: Report, worker: WorkerFile): WorkerDefinition | null {
  const { file, name, text, names } = worker
  const parts = splitFrontMatter(text)
  if (parts === null) {
    reportNoFrontMatter(report, file, text)
    return null
  }
  const root = openYaml(report, file, parts.yaml)
  const fields = root === null ? null : readFields(root, keysOf(workerFileSchema))
  if (root === null || fields === null) return null
  const reference = (what: 'team' | 'queue' | 'worker' | 'workspace') => (field: YamlField) =>
    names === null ? readText(field) : readReference(field, what, names[`${what}s`])
  const part = fields.read
  checkNameMatches(fields, name)
  const zones = part('zones', readZones, [])
  const zoneNames = part('zones', zoneNamesAt, new Set<string>())
  const model = readModel(fields, worker)
  const rest = {
    description: part('description', (field) => readText(field) ?? '', ''),
    instructions: parts.instructions,
    queue: part('queue', reference('queue'), null),
    ...part<{ queueSource?: string }>(
      'queue',
      (field) => ({ queueSource: fieldSource(field) }),
      {},
    ),
    settings: part('settings', readModelSettings, defaultModelSettings),
    limits: part('limits', readLimits, defaultLimits),
    conversation: part('conversation', readBoolean, null),
    restForMs: part(
      'restFor',
      (field) => readDuration(field) ?? defaultRestForMs,
      defaultRestForMs,
    ),
    startApproval: part('startApproval', readStartApproval, null),
    input: part('input', readInput, null),
    startableBy: part('startableBy', (field) => readOneOrMany(field, reference('team')), null),
    ...part<{ workspaces?: readonly string[] }>(
      'workspace',
      (field) => ({ workspaces: readOneOrMany(field, reference('workspace')) ?? [] }),
      {},
    ),
    zones,
    sandbox: part('sandbox', readSandbox, { required: false, network: 'none' as const }),
    shell: part('shell', (field) => readShell(field, zoneNames), null),
    tools: part('tools', readTools, new Map()),
    workers: part('workers', (field) => readOneOrMany(field, reference('worker')) ?? [], []),
    ...part<{ workersSource?: string }>(
      'workers',
      (field) => ({ workersSource: fieldSource(field) }),
      {},
    ),
    mcpServers: part('mcpServers', readMcpServers, new Map()),
  }
  if (model === null) return null
  const { script } = model
  return {
    name,
    digest: workerDigest({ name, text, script }),
    text,
    script,
    model: model.name,
    ...rest,
  }
}

function reportNoFrontMatter(report: Report, file: string, text: string): void {
  const place = { file, line: 1 }
  if (/^\uFEFF?---\s*$/m.exec(text)?.index === 0) {
    const remedy = 'write a line `---` between the settings and the instructions'
    report.error(place, 'the front matter does not end', remedy)
    return
  }
  const remedy = 'begin it with a line `---`, then the settings, then another `---`'
  report.error(place, 'the file does not begin with front matter', remedy)
}

function readStartApproval(field: YamlField): WorkerDefinition['startApproval'] {
  const asks = readChoice(field, ['preApproved', 'ask']) === 'ask'
  return asks ? { source: fieldSource(field) } : null
}

function checkNameMatches(fields: Fields, name: string): void {
  const field = fields.get('name')
  const declared = field === null ? null : readText(field)
  if (field !== null && declared !== null && declared !== name) {
    wrong(field, `is "${declared}", but the file is called ${name}.md`, `write \`name: ${name}\``)
  }
}

function readModel(
  fields: Fields,
  worker: WorkerFile,
): { name: string; script: string | null } | null {
  const field = fields.getNeeded(
    'model',
    'write `model: anthropic:…` or `model: script:./demo.yaml`',
  )
  if (field === null) return null
  const text = readText(field)
  if (text === null) return null
  const modelName = parseModelName(text)
  const endpoints = worker.names?.endpoints ?? null
  const isUnknown =
    modelName?.kind === 'endpoint' && endpoints !== null && !endpoints.has(modelName.endpoint)
  if (modelName === null || isUnknown) {
    const prefix = text.split(':')[0] ?? ''
    const providers = [...modelProviders, 'script', ...(endpoints ?? [])]
    const remedy = providers.includes(prefix)
      ? 'write `provider:model`, or `script:./file.yaml` inside the project folder'
      : `write \`provider:model\`; ${didYouMean(prefix, providers)}`
    wrong(field, `is ${JSON.stringify(text)}`, remedy)
    return null
  }
  if (modelName.kind !== 'script') return { name: text, script: null }
  const script = worker.scriptText(modelName.path)
  if (script === null) {
    wrong(field, `names the script "${modelName.path}", which does not exist`, 'correct the path')
    return null
  }
  return { name: text, script }
}

function readLimits(field: YamlField): WorkerLimits {
  const fields = readFields(field, keysOf(limits))
  const count = (key: 'turns' | 'calls' | 'tokens'): number => {
    const value = fields?.get(key) ?? null
    return (value === null ? null : readCount(value, 1, 1_000_000_000)) ?? defaultLimits[key]
  }
  const cost = fields?.get('costUsd') ?? null
  return {
    turns: count('turns'),
    calls: count('calls'),
    tokens: count('tokens'),
    costUsd: cost === null ? null : readAmount(cost, 0.000001, 1_000_000),
  }
}

/** Reads `input`: the JSON Schema of what a run is started with; `null` after reporting. */
function readInput(field: YamlField): JsonObject | null {
  const schema = readJson(field)
  if (schema === null) return null
  const problem = isJsonObject(schema) ? schemaProblem(schema) : 'is not a mapping'
  if (problem !== null) {
    const example = '{ type: object, properties: { version: { type: string } } }'
    wrong(field, problem, `write a JSON Schema: \`${example}\``)
    return null
  }
  return isJsonObject(schema) ? schema : null
}
