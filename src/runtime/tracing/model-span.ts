import type { ModelUsage } from '#models/model.ts'
import type { EndedStep } from '../metrics/observed-model.ts'
import type { FinishedSpan, SpanAttributes } from './spans.ts'
import { newSpanId, type SpanPlace } from './trace-ids.ts'

/** The span of a step of a model, below the activity that took it. */
export function modelSpan(step: EndedStep, above: SpanPlace): FinishedSpan {
  const { runId, provider, model, responseModel, startMs, endMs, usage, error } = step
  return {
    name: `chat ${model}`,
    kind: 'client',
    place: { traceId: above.traceId, spanId: newSpanId() },
    parentSpanId: above.spanId,
    startMs,
    endMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      ...(responseModel === undefined ? {} : { 'gen_ai.response.model': responseModel }),
      'gen_ai.conversation.id': runId,
      ...(usage === null ? {} : tokensOf(usage)),
    },
    error,
  }
}

function tokensOf({ cachedInputTokens, inputTokens, outputTokens }: ModelUsage): SpanAttributes {
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cachedInputTokens === undefined
      ? {}
      : { 'gen_ai.usage.cache_read.input_tokens': cachedInputTokens }),
  }
}
