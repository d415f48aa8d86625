import { parseObject } from '#domain/json/parse-json.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../files.ts'

export interface Ports {
  readonly postgres?: number
  readonly temporal?: number
  readonly temporalUi?: number
}

/** The ports of the last start, which are used again so that saved addresses stay right. */
export async function readPorts(dataDir: string): Promise<Ports> {
  const text = await readFile(portsFile(dataDir), 'utf8').catch(() => '')
  const ports = parseObject(text) ?? {}
  const names = ['postgres', 'temporal', 'temporalUi'] as const
  return Object.fromEntries(
    names.flatMap((name) => (isPort(ports[name]) ? [[name, ports[name]]] : [])),
  )
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
}

/** Stores the ports for the next start. */
export async function writePorts(dataDir: string, ports: Ports): Promise<void> {
  await writeWhole(portsFile(dataDir), `${JSON.stringify(ports)}\n`, 0o644)
}

function portsFile(dataDir: string): string {
  return join(dataDir, 'ports.json')
}
