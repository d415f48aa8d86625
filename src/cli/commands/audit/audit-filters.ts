import { type Command, InvalidArgumentError } from 'commander'
import { auditEventTypes } from '#domain/audit-event.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { readInstant, readReference } from '../option-values.ts'

/** The filters that choose events of the trail. */
export interface FilterOptions extends ServiceOptions {
  readonly type?: string
  readonly actor?: string
  readonly request?: string
  readonly run?: string
  readonly from?: string
  readonly to?: string
  readonly search?: string
  readonly outside?: string
  readonly timeZone?: string
}

/** Adds the options of the service and the filters of the trail to a command. */
export function withFilters(command: Command): Command {
  return withService(command)
    .option('--type <type>', 'only events of this type, such as decision.recorded', readType)
    .option('--actor <actor>', 'only events of this actor: an id, an address, or a kind of actor')
    .option('--request <request>', 'only events of this request: its id or number', readReference)
    .option('--run <run>', 'only events of this run: its number or id', readReference)
    .option('--from <time>', 'only events from this time on, ISO 8601', readInstant)
    .option('--to <time>', 'only events before this time, ISO 8601', readInstant)
    .option('--outside <hours>', 'exclude these hours of working days, such as 08:00-18:00')
    .option('--time-zone <zone>', 'the time zone of --outside, such as Europe/Berlin')
    .option(
      '--search <words>',
      'only events of requests with these words in effect, tool, reasons or comments',
    )
}

function readType(text: string): string {
  if (auditEventTypes.some((type) => type === text)) return text
  throw new InvalidArgumentError(`one of ${auditEventTypes.join(', ')}.`)
}

/** The filters in the service's spelling. */
export function filtersOf(options: FilterOptions) {
  const { type, actor, request, run, from, to, search, outside, timeZone } = options
  return { type, actor, requestId: request, runId: run, from, to, q: search, outside, timeZone }
}
