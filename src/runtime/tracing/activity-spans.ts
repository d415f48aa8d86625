import { AsyncLocalStorage } from 'node:async_hooks'
import { isObject } from '#domain/json/is-object.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { withSpan, type SpanAttributes, type Spans } from './spans.ts'
import { newSpanId, traceOf, type SpanPlace } from './trace-ids.ts'

interface NewSpan {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId: string
  readonly attributes: SpanAttributes
}

/** The spans of activities. One that starts inside of another becomes its child. */
export class ActivitySpans {
  readonly #spans: Spans
  readonly #places = new AsyncLocalStorage<SpanPlace>()

  constructor(spans: Spans) {
    this.#spans = spans
  }

  /** The span around the code that runs; `null`: its activity belongs to no run. */
  get above(): SpanPlace | null {
    return this.#places.getStore() ?? null
  }

  /** Runs the work in a span. The error of a tool that it returns is the span's error too. */
  within<T>({ traceId, ...span }: NewSpan, work: (place: SpanPlace) => Promise<T>): Promise<T> {
    const place = { traceId, spanId: newSpanId() }
    return withSpan(
      this.#spans,
      { ...span, kind: 'internal', place },
      () => this.#places.run(place, work, place),
      (result) => (isFailure(result) ? 'tool_error' : null),
    )
  }

  /** Runs the work in a span below {@link above}; without one, it runs the work alone. */
  below<T>(
    span: Pick<NewSpan, 'name' | 'attributes'>,
    work: (place: SpanPlace | null) => Promise<T>,
  ): Promise<T> {
    const { above } = this
    if (above === null) return work(null)
    const { traceId, spanId: parentSpanId } = above
    return this.within({ ...span, traceId, parentSpanId }, work)
  }
}

/** Whether work returned the error of a tool, rather than failing itself. */
function isFailure(result: unknown): boolean {
  return isObject(result) && result['type'] === ('error' satisfies ToolResult['type'])
}

/** The subject of an activity: the ids in its input and nothing else. */
export function subjectAttributes(argument: unknown): Record<string, string> {
  const ids: Record<string, string> = {}
  for (const name of ['runId', 'callId', 'requestId'] as const) {
    const value = Object(argument)[name] as unknown
    if (typeof value === 'string' && traceOf(value) !== null && value.length === 36) {
      ids[`countersign.${name.replace('Id', '_id')}`] = value
    }
  }
  return ids
}
