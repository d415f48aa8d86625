import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createWorkerMetrics } from '#runtime/metrics/activity-metrics.ts'
import { createApiMetrics } from '#runtime/metrics/api-metrics.ts'
import { hungDatabase } from '../harness/fake-database.ts'
import { readDocument } from './documents.ts'

const deploy = join(import.meta.dirname, '..', '..', 'deploy')

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}
interface Panel {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly targets: readonly { readonly expr: string; readonly refId: string }[]
}

async function readAlerts(): Promise<readonly Alert[]> {
  const file = parse(await readFile(join(deploy, 'prometheus', 'alerts.yaml'), 'utf8')) as {
    groups: readonly { rules: readonly Alert[] }[]
  }
  return file.groups.flatMap(({ rules }) => rules)
}

async function readPanels(): Promise<readonly Panel[]> {
  const dashboard = JSON.parse(
    await readFile(join(deploy, 'grafana', 'countersign.json'), 'utf8'),
  ) as { panels: readonly Panel[] }
  return dashboard.panels
}

/** The metrics that an expression of PromQL reads. Throws where it is not one. */
function metricsOf(expression: string): string[] {
  const names: string[] = []
  parser.parse(expression).iterate({
    enter: ({ type, name, from, to }) => {
      const text = expression.slice(from, to)
      if (type.isError) throw new Error(`not PromQL: ${expression}, at ${from}`)
      if (name === 'Identifier') names.push(text)
    },
  })
  return names
}

/** The types of all metrics that the processes report, by name. */
async function reportedTypes(): Promise<ReadonlyMap<string, string>> {
  const { db } = hungDatabase()
  const temporal = { namespaceId: () => Promise.reject(new Error('no Temporal')) }
  const pages = [createApiMetrics(db, temporal).page, createWorkerMetrics(db).page]
  const texts = await Promise.all(pages.map((page) => page.text()))
  return new Map(
    [...texts.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [
      name,
      type,
    ]),
  )
}

/** The names under which Prometheus stores them. */
async function reported(): Promise<ReadonlySet<string>> {
  return new Set(
    [...(await reportedTypes())].flatMap(([name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
}

test('monitoring.md has every metric of the processes, and no other', async () => {
  const { prose } = await readDocument('docs/monitoring.md')
  const own = /^(?:countersign|gen_ai_client|mcp_(?:client|server))_/
  const written = [...prose.matchAll(/`(\w+)(?:\{[^`]*)?`/g)].map(([, name = '']) => name)
  const names = [...(await reportedTypes()).keys()]
  expect([...new Set(written.filter((name) => own.test(name)))].toSorted()).toEqual(
    names.filter((name) => own.test(name)).toSorted(),
  )
})

test('alert rules and the dashboard of Grafana read only metrics that the processes report', async () => {
  const names = await reported()
  const alerts = (await readAlerts()).map(({ expr }) => expr)
  const panels = (await readPanels()).flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const read = [...alerts, ...panels].flatMap(metricsOf)
  expect(read.filter((name) => !names.has(name))).toEqual([])
  expect(new Set(alerts.flatMap(metricsOf)).size).toBeGreaterThan(10)
  expect(() => metricsOf('max(countersign_up')).toThrow('not PromQL')
  expect(metricsOf('countersign_upp == 0')).toEqual(['countersign_upp'])
})

test('each alert says how bad it is, what happened and what to do; each panel says what it shows', async () => {
  const alerts = await readAlerts()
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  for (const { labels, annotations } of alerts) {
    expect(['critical', 'warning']).toContain(labels.severity)
    expect(annotations.summary).not.toBe('')
    expect(annotations.description.length).toBeGreaterThan(20)
  }
  const panels = await readPanels()
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const { description, title } of panels) expect([title, description]).not.toContain('')
})

const promtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!promtool)('promtool, where it is installed, takes the rules of the alarms', () => {
  const rules = join(deploy, 'prometheus', 'alerts.yaml')
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
