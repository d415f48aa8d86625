import { catchups } from '#domain/runs/schedule.ts'
import type { Json } from '#domain/json/json.ts'
import type { ScheduleSetting } from '../../project-config.ts'
import { readCron } from '../../schedules/cron.ts'
import {
  fieldSource,
  readJson,
  readEntries,
  readFields,
  wrong,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { checkName, readChoice, readReference, readText } from '../../reading/values.ts'
import { keysOf } from '../../schema/parts.ts'
import { schedule } from '../../schema/starts.ts'
import { readConversation, readStarter } from './read-triggers.ts'

/** Reads `schedules`: when runs start. */
export function readSchedules(
  field: YamlField,
  workers: ReadonlySet<string>,
  people: ReadonlySet<string>,
): Map<string, ScheduleSetting> {
  const schedules = new Map<string, ScheduleSetting>()
  for (const [name, value] of readEntries(field)) {
    const setting = checkName(value, name) ? readSchedule(value, name, workers, people) : null
    if (setting !== null) schedules.set(name, setting)
  }
  return schedules
}

const examples = {
  worker: 'name the worker whose runs it starts',
  input: 'write what its runs are asked: `input: Draft the notes`',
  cron: 'write five fields: `cron: "0 6 * * 1-5"`',
  as: 'name who starts its runs: `as: ada@example.com`',
} as const

function readSchedule(
  field: YamlField,
  name: string,
  workers: ReadonlySet<string>,
  people: ReadonlySet<string>,
): ScheduleSetting | null {
  const fields = readFields(field, keysOf(schedule))
  if (fields === null) return null
  const readNeeded = <T>(
    key: keyof typeof examples,
    read: (at: YamlField) => T | null,
  ): T | null => {
    const at = fields.get(key)
    if (at === null) wrong(field, `has no "${key}"`, examples[key])
    return at === null ? null : read(at)
  }
  const worker = readNeeded('worker', (at) => readReference(at, 'worker', workers))
  const input = readNeeded('input', readInput)
  const as = readNeeded('as', (at) => readStarter(at, people))
  const zoneField = fields.get('timezone')
  const timezone = zoneField === null ? 'UTC' : readText(zoneField)
  const cron = readNeeded('cron', (at) => readTimes(at, timezone ?? 'UTC'))
  const catchupField = fields.get('catchup')
  const catchup = catchupField === null ? 'none' : readChoice(catchupField, catchups)
  const conversation = readConversation(fields.get('conversation'))
  if (worker === null || input === null || as === null || cron === null) return null
  if (timezone === null || catchup === null || conversation === null) return null
  const source = fieldSource(field)
  return { name, worker, input, cron, timezone, as, catchup, conversation, source }
}

function readInput(field: YamlField): Json | null {
  const value = readJson(field)
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isObject ? value : readText(field)
}

function readTimes(field: YamlField, timezone: string): string | null {
  const cron = readText(field)
  if (cron === null) return null
  const times = readCron(cron, timezone)
  if (typeof times !== 'string') return cron.trim()
  wrong(field, times, 'write five fields, like "0 6 * * 1-5", and an IANA time zone')
  return null
}
