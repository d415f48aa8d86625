import { copyFile, glob, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import express from 'express'
import { expect, test, onTestFinished } from 'vitest'
import { securityHeaders } from '#api/middleware/security-headers.ts'
import { serveDashboard } from '#api/middleware/serve-dashboard.ts'
import { docsFiles } from '../../../scripts/docs-site/build-docs.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { listenHere } from '../../harness/listen.ts'
import { newFolder } from '../../harness/new-folder.ts'
import { putFiles } from '../../harness/put-file.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

/** The documentation as it is built, under the headers and by the code that serve it. */
async function serveDocs(): Promise<string> {
  const folder = newFolder('docs-')
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  putFiles(folder, await docsFiles((font) => `/assets/${font}`))
  await mkdir(join(folder, 'assets'))
  for await (const path of glob(
    'node_modules/@fontsource*/*/files/*-latin-{400,wght}-normal.woff2',
  )) {
    await copyFile(path, join(folder, 'assets', basename(path)))
  }
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>the dashboard</title>')
  const app = express().use(securityHeaders('http://localhost'), serveDashboard(folder))
  const server = createServer(app)
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${await listenHere(server)}`
}

test('the documentation is read in a browser under the content policy: links, anchors, dark, phone, without an error', async () => {
  const url = await serveDocs()
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const context = await browser.newContext({ colorScheme: 'dark' })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404')) errors.push(message.text())
  })
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'How it works' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'How it works' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/docs/how-it-works')
  // The style sheet and the fonts were let through.
  expect(await page.locator('.columns').evaluate((one) => getComputedStyle(one).display)).toBe(
    'grid',
  )
  const faces = await page.evaluate(async () => {
    const all = [...(await document.fonts.ready)]
    return all.filter(({ status }) => status === 'loaded').map(({ family }) => family)
  })
  expect(faces.map((face) => face.replaceAll('"', '')).toSorted()).toEqual([
    'JetBrains Mono',
    'Schibsted Grotesk',
  ])
  for (const name of ['api', 'clients']) {
    await page.goto(`${url}/docs/${name}`)
    await page.setViewportSize({ width: 390, height: 844 })
    const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect([name, await page.evaluate(wider)]).toEqual([name, 0])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeProblems(page), name).toEqual([])
    }
  }
  await page.goto(`${url}/docs/operations#limits`)
  expect(await page.locator('#limits').isVisible()).toBe(true)
  expect(errors).toEqual([])
})

test('a path that is no page of the documentation is 404, and llms.txt and the Markdown are served as text', async () => {
  const url = await serveDocs()
  const of = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })
    return [answer.status, answer.headers.get('content-type')?.split(';')[0]]
  }
  expect(await of('/docs/no-such-page')).toEqual([404, 'text/html'])
  expect(await of('/docs/%2e%2e/index')).toEqual([404, 'text/html'])
  expect(await of('/docs/design/security')).toEqual([404, 'text/html'])
  expect(await of('/llms.txt')).toEqual([200, 'text/plain'])
  expect(await of('/llms-full.txt')).toEqual([200, 'text/plain'])
  expect(await of('/docs/api.md')).toEqual([200, 'text/markdown'])
})
