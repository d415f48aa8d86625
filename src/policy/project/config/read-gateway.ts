import type { GatewayServer } from '../../project-config.ts'
import { readCount, readReference, warnOfCase } from '../../reading/values.ts'
import { readEntries, readFields, type YamlField } from '../../reading/yaml-field.ts'
import { gatewayServer, maxHoldSeconds } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'
import { isServerName, readServer } from '../../worker/read-mcp-servers.ts'
import { readSandbox } from '../../worker/read-sandbox.ts'
import { readZones } from '../../worker/read-zones.ts'

const defaultHoldSeconds = 45

/** Reads `mcpServers` of countersign.yaml: the servers that programs use at `/mcp/NAME`. */
export function readGateway(
  field: YamlField,
  queues: ReadonlySet<string>,
): Map<string, GatewayServer> {
  const gateway = new Map<string, GatewayServer>()
  const compareCase = warnOfCase()
  for (const [name, value] of readEntries(field)) {
    compareCase(value, name)
    const fields = isServerName(value, name) ? readFields(value, keysOf(gatewayServer)) : null
    const server = fields === null ? null : readServer(value, name, fields)
    if (fields === null || server === null) continue
    const holdSeconds = fields.read(
      'holdSeconds',
      (hold) => readCount(hold, 0, maxHoldSeconds) ?? defaultHoldSeconds,
      defaultHoldSeconds,
    )
    gateway.set(name, {
      server,
      queue: fields.read('queue', (queue) => readReference(queue, 'queue', queues), null),
      holdMs: holdSeconds * 1000,
      zones: fields.read('zones', readZones, [wholeWorkspace(server.source)]),
      sandbox: fields.read('sandbox', readSandbox, { required: false, network: 'none' }),
    })
  }
  return gateway
}

/** A server for files is only useful with files; protected names apply to them as well. */
function wholeWorkspace(source: string): GatewayServer['zones'][number] {
  return {
    name: 'workspace',
    root: '',
    mode: 'rw',
    suffixes: null,
    approval: {},
    protected: [],
    source,
  }
}
