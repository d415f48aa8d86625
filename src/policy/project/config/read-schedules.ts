import { catchups } from '#domain/runs/schedule.ts'
import type { Json } from '#domain/json/json.ts'
import type { ScheduleSetting } from '../../project-config.ts'
import { readCron } from '../../schedules/cron.ts'
import {
  fieldSource,
  readJson,
  readFields,
  wrong,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { readChoice, readNamed, readReference, readText } from '../../reading/values.ts'
import { keysOf } from '../../schema/parts.ts'
import { schedule } from '../../schema/starts.ts'
import { readConversation, readStarter } from './read-triggers.ts'

/** Reads `schedules`: when runs start. */
export function readSchedules(
  field: YamlField,
  workers: ReadonlySet<string>,
  people: ReadonlySet<string>,
): Map<string, ScheduleSetting> {
  return readNamed(field, (value, name) => readSchedule(value, name, workers, people))
}

function readSchedule(
  field: YamlField,
  name: string,
  workers: ReadonlySet<string>,
  people: ReadonlySet<string>,
): ScheduleSetting | null {
  const fields = readFields(field, keysOf(schedule))
  if (fields === null) return null
  const worker = fields.readNeeded('worker', 'name the worker whose runs it starts', (at) =>
    readReference(at, 'worker', workers),
  )
  const inputRemedy = 'write what its runs are asked: `input: Draft the notes`'
  const input = fields.readNeeded('input', inputRemedy, readInput)
  const as = fields.readNeeded('as', 'name who starts its runs: `as: ada@example.com`', (at) =>
    readStarter(at, people),
  )
  const timezone = fields.read('timezone', readText, 'UTC')
  const cron = fields.readNeeded('cron', 'write five fields: `cron: "0 6 * * 1-5"`', (at) =>
    readTimes(at, timezone ?? 'UTC'),
  )
  const catchup = fields.read('catchup', (at) => readChoice(at, catchups), 'none' as const)
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
