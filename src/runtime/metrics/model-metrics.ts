import { Histogram, type Registry } from 'prom-client'
import type { EndedStep } from './observed-model.ts'

const labels = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const

/**
 * Time, tokens and errors of model steps, under OpenTelemetry's names of `gen_ai.client.*` as
 * Prometheus spells them, and with the buckets that its conventions name.
 */
export function createModelMetrics(registry: Registry): (step: EndedStep) => void {
  const duration = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Steps of models, by model and, where one failed, type of error',
    labelNames: [...labels, 'error_type'],
    buckets: [
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ],
    registers: [registry],
  })
  const tokens = new Histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of a step of a model, by type',
    labelNames: [...labels, 'gen_ai_token_type'],
    buckets: Array.from({ length: 14 }, (_, power) => 4 ** power),
    registers: [registry],
  })
  return ({ error, model, provider, startMs, endMs, usage }) => {
    const of = {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: provider,
      gen_ai_request_model: model,
    }
    duration.observe(
      { ...of, ...(error === null ? {} : { error_type: error }) },
      (endMs - startMs) / 1000,
    )
    if (usage === null) return
    tokens.observe({ ...of, gen_ai_token_type: 'input' }, usage.inputTokens)
    tokens.observe({ ...of, gen_ai_token_type: 'output' }, usage.outputTokens)
  }
}
