import type { Command } from 'commander'
import type { Trigger } from '#api/schemas/runs/triggers.ts'
import { shellWord } from '#domain/tools/shell-word.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { Columns } from '../service/service-options.ts'
import type { Service } from '../service/service.ts'
import { jsonText } from '../terminal/json-text.ts'
import { printableLine } from '../text/terminal-text.ts'
import { addStartCommands, lastRunText } from './starts.ts'

/** `countersign triggers [ls|show|pause|resume]`. */
export function addTriggersCommand(program: Command): void {
  const triggers = program
    .command('triggers')
    .description(
      'list, pause and resume the triggers by which other systems start runs, and show how to call one',
    )
  addStartCommands(triggers, {
    kind: 'trigger',
    example: 'deploys',
    descriptions: {
      ls: 'list the triggers, each with its worker and its last run',
      show: 'show one trigger, with a command that calls it',
    },
    list: (service) => service.call('listTriggers', {}),
    columns,
    linesOf,
    change: (service, verb, name) =>
      service.call(verb === 'pause' ? 'pauseTrigger' : 'resumeTrigger', { params: { name } }),
    resumedText: () => 'Resumed. Its messages start runs again.',
  })
}

async function linesOf(
  trigger: Trigger,
  [name, worker, as, , , last = '']: readonly string[],
  service: Service,
): Promise<readonly string[]> {
  const { input } = await service.call('getWorker', { params: { name: trigger.worker } })
  const body = input === null ? { what: 'happened' } : inputExample(input)
  return [
    `trigger ${name} of ${worker}, as ${as === '' ? 'nobody' : as}`,
    last === '' ? 'no run yet' : `last run ${last}`,
    ...(trigger.paused ? ['It is paused: it refuses messages until it is resumed.'] : []),
    trigger.hasSecret
      ? 'It accepts messages that are signed (Standard Webhooks) with its secret, and calls with an API key:'
      : 'The service does not have its secret, so it accepts only calls with an API key:',
    '',
    `curl -X POST '${trigger.url}' \\`,
    `  -H "authorization: Bearer $COUNTERSIGN_API_KEY" -H 'content-type: application/json' \\`,
    `  -H 'idempotency-key: NAME-OF-THIS-MESSAGE' -d ${shellWord(jsonText(body))}`,
  ]
}

const columns: Columns<Trigger> = {
  name: ({ name }) => printableLine(name),
  worker: ({ worker }) => printableLine(worker),
  as: ({ as }) => printableLine(as?.name ?? ''),
  secret: ({ hasSecret }) => (hasSecret ? 'set' : 'missing'),
  state: ({ paused }) => (paused ? 'paused' : 'open'),
  'last run': ({ lastRun }) => lastRunText(lastRun),
}

/**
 * An example for a worker's `input` schema, for a person to edit: the required members, each with a
 * value of its type. It may break other rules of the schema. Pure.
 */
export function inputExample(schema: JsonObject): Json {
  const [first] = [schema['enum'], schema['examples']].flatMap((list) => list ?? [])
  const fixed = schema['const'] ?? schema['default'] ?? first
  if (fixed !== undefined) return fixed
  const [type] = [schema['type']].flat()
  switch (type) {
    case 'object':
      return membersOf(schema)
    case 'array':
      return []
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1
    default:
      return (schema['properties'] ?? schema['required']) === undefined ? 'TEXT' : membersOf(schema)
  }
}

function membersOf({ required, properties }: JsonObject): JsonObject {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const schemas = new Map(Object.entries(isJsonObject(properties) ? properties : {}))
  return Object.fromEntries(
    names.map((name) => {
      const schema = schemas.get(name)
      return [name, isJsonObject(schema) ? inputExample(schema) : 'TEXT']
    }),
  )
}
