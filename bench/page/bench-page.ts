import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '#test/harness/browser.ts'
import { Installation } from '#test/harness/installation/installation.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { percentiles, round } from '../figures.ts'

/** Visits of each page; the first of each warms up and is not counted. */
const visits = 11

/**
 * Measures the time from the navigation to the first key that a page handles, of the inbox and of a
 * request, beside the floor: an answer of the same server without a script of its own. The browser
 * sends a key in every frame, as a person would who cannot wait.
 */
export async function benchPage(): Promise<object> {
  await using installation = await Installation.start({})
  const browser = await launchBrowser()
  try {
    const link = signInLink(installation)
    const cold = await coldVisit(browser, link)
    const { page } = cold
    const number = await firstRequest(page)
    const pages = {
      floor: { path: '/healthz', key: 'x', marker: 'floor' },
      inbox: { path: '/', key: 'j', marker: '.request-link' },
      request: { path: `/requests/${number}`, key: 'd', marker: 'input[type=radio]' },
    } as const
    await page.addInitScript({ content: sendKeys })
    const samples: Record<keyof typeof pages, number[]> = { floor: [], inbox: [], request: [] }
    let requests = 0
    page.on('request', (one) => {
      if (one.url().includes('/v1/')) requests += 1
    })
    const requestsOf: Record<string, number> = {}
    // The pages take turns, so that other work of the machine affects all of them alike.
    for (let visit = 0; visit < visits; visit += 1) {
      for (const name of ['floor', 'inbox', 'request'] as const) {
        const { path, key, marker } = pages[name]
        requests = 0
        const ms = await handledAfter(page, new URL(path, link).href, { key, marker })
        requestsOf[name] = requests
        if (visit > 0) samples[name].push(ms)
      }
    }
    const [floor, inbox, request] = [samples.floor, samples.inbox, samples.request].map(percentiles)
    return {
      firstVisitMs: round(cold.ms),
      floorMs: floor,
      inboxMs: inbox,
      requestMs: request,
      requestsBeforeKey: { inbox: requestsOf['inbox'], request: requestsOf['request'] },
    }
  } finally {
    await browser.close()
  }
}

function signInLink({ lines }: Installation): string {
  const line = lines.find((one) => one.includes('/sign-in#link='))
  const [link] = /http\S+$/.exec(line ?? '') ?? []
  if (link === undefined) throw new Error('the installation printed no sign-in link')
  return link
}

/** The first visit of a browser: nothing is in its cache, and the one-time link signs it in. */
async function coldVisit(browser: Browser, link: string): Promise<{ page: Page; ms: number }> {
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  page.setDefaultTimeout(120_000)
  const startedMs = performance.now()
  await page.goto(link)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  return { page, ms: performance.now() - startedMs }
}

async function firstRequest(page: Page): Promise<number> {
  const row = page.locator('.request-link').first()
  await row.waitFor()
  const [, number] = /\/requests\/(\d+)/.exec((await row.getAttribute('href')) ?? '') ?? []
  return Number(number)
}

interface Sent {
  readonly key: string
  /** what a handled key has set the focus on; `floor`: any listener */
  readonly marker: string
}

/** Each page sends itself the key that `bench` in the tab's storage names, until it is handled. */
const sendKeys = `(() => {
  const sent = JSON.parse(sessionStorage.getItem('bench') ?? 'null')
  if (sent === null) return
  let isHandled = false
  if (sent.marker === 'floor') {
    document.addEventListener('DOMContentLoaded', () =>
      document.addEventListener('keydown', () => (isHandled = true)),
    )
  }
  const send = () => {
    const target = document.activeElement ?? document.documentElement
    target?.dispatchEvent(new KeyboardEvent('keydown', { key: sent.key, bubbles: true }))
    isHandled ||= sent.marker !== 'floor' && document.activeElement?.matches(sent.marker) === true
    if (isHandled) document.documentElement.dataset['handledMs'] = String(performance.now())
    else requestAnimationFrame(send)
  }
  requestAnimationFrame(send)
})()`

/** Milliseconds from the navigation to the first key that the page handled. */
async function handledAfter(page: Page, url: string, sent: Sent): Promise<number> {
  const literal = JSON.stringify(JSON.stringify(sent))
  await page.evaluate(`sessionStorage.setItem('bench', ${literal})`)
  await page.goto(url)
  const handledMs = () =>
    page.evaluate<string>("document.documentElement.dataset['handledMs'] ?? ''")
  await waitUntil(async () => (await handledMs()) !== '')
  return Number(await handledMs())
}
