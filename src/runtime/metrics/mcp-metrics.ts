import { Histogram, type Registry } from 'prom-client'

/** A message of the Model Context Protocol that has ended, in OpenTelemetry's words. */
export interface EndedMessage {
  readonly method: string
  /** null: none is called */
  readonly tool: string | null
  readonly transport: 'pipe' | 'tcp'
  readonly error: string | null
  readonly durationMs: number
}

/**
 * Time and errors of messages, under OpenTelemetry's name of `mcp.client.operation.duration` or
 * `mcp.server.operation.duration` as Prometheus spells it, with the buckets of its conventions.
 */
export function createMcpMetrics(
  registry: Registry,
  { side, help }: { readonly side: 'client' | 'server'; readonly help: string },
): (message: EndedMessage) => void {
  const duration = new Histogram({
    name: `mcp_${side}_operation_duration_seconds`,
    help,
    labelNames: [
      'mcp_method_name',
      'gen_ai_operation_name',
      'gen_ai_tool_name',
      'network_transport',
      'error_type',
    ],
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
    registers: [registry],
  })
  return ({ durationMs, error, method, tool, transport }) =>
    duration.observe(
      {
        mcp_method_name: method,
        ...(tool === null ? {} : { gen_ai_operation_name: 'execute_tool', gen_ai_tool_name: tool }),
        network_transport: transport,
        ...(error === null ? {} : { error_type: error }),
      },
      durationMs / 1000,
    )
}
