import { InvalidArgumentError } from 'commander'
import { isInstant } from '#domain/instant.ts'
import { readJson } from '#domain/json/ambiguous-json.ts'
import type { Json } from '#domain/json/json.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import { unitMs } from '#domain/text/quantities/unit-ms.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'

/**
 * A time in the format of the service, from any form that ISO 8601 allows: `2026-12-01`,
 * `2026-12-01T09:00+01:00`.
 */
export function readInstant(text: string): string {
  const moment = new Date(text)
  // A day or time in this machine's zone exists on the same day in any other zone, so only its
  // existence is checked.
  const [, day = '', time = 'T00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(T[\d:.]+)?(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? []
  if (!isInstant(`${day}${time}${zone}`) || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError('a time such as 2026-12-01T09:00Z.')
  }
  return moment.toISOString()
}

/**
 * The id or number of a request or run. A number may begin with `#`, as listings and pages write
 * it.
 */
export function readReference(text: string): string {
  return /^#\d+$/.test(text) ? text.slice(1) : text
}

/**
 * For an option that can be repeated with one value each. It does not consume an argument of the
 * command.
 */
export function andAnother(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** The argument of a command that takes a run. */
export const runArgument = ['<run>', 'its number or id', readReference] as const

/** The argument of a command that takes a request. */
export const requestArgument = ['<request>', 'its id or number', readReference] as const

/** The option of a command that sends files of this computer. */
export const fileOption = [
  '--file <path>',
  'a picture or text of this computer to send along; can be given several times',
  andAnother,
] as const

/**
 * Milliseconds of a span as people write it: `90s`, `15m`, `4h`, `7d`; `null` for anything else.
 */
export function parseSpan(text: string): number | null {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text)
  return match === null ? null : Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
}

/** Reads the limits of a run's budget, `turns=10,tokens=50000,costUsd=2.5`. */
export function readBudget(text: string): RunBudget {
  const budget: { turns?: number; tokens?: number; costUsd?: number } = {}
  const form = /^(?:(turns|tokens)=([1-9][0-9]{0,8})|(costUsd)=([0-9]{1,6}(?:[.][0-9]{1,6})?))$/
  for (const part of text.split(',')) {
    const [, whole, wholeCount, amount, sum] = form.exec(part.trim()) ?? []
    const [key, count] = [whole ?? amount, wholeCount ?? sum]
    if ((key !== 'turns' && key !== 'tokens' && key !== 'costUsd') || Number(count) === 0) {
      throw new InvalidArgumentError('write turns=10,tokens=50000,costUsd=2.5, or a part of it.')
    }
    budget[key] = Number(count)
  }
  return budget
}

/**
 * Reads the input of a tool. The service refuses what is no object. A key that is there twice and a
 * number that is rounded are refused here, since the service cannot see them any more.
 */
export function readInput(text: string): Record<string, Json> {
  const input = readJson('The input', text)
  if ('value' in input) return input.value as Record<string, Json>
  throw new CommandFailure(`${input.problem}: ${text}`, exitCodes.usage)
}
