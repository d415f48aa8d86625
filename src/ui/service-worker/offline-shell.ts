const cacheName = 'countersign-shell'
const page = '/'

/**
 * The newest pages that the service answered, by the ids of their clients. The service worker may
 * stop at any time, and then forgets them. A page that it does not know gets its files from the
 * cache.
 */
const onlineClients = new Set<string>()
const maxOnlineClients = 32

/**
 * Caches the page of the dashboard and its first files, so that the app opens without a connection
 * and says so. No answers of the API are cached.
 */
export async function keepShell(): Promise<void> {
  await keepPage(await fetch(page, { credentials: 'omit', headers: { accept: 'text/html' } }))
}

/**
 * Answers a navigation with the service's page, or without a connection with the cached one. A new
 * page replaces the cached one.
 */
export async function answerNavigation(event: FetchEvent): Promise<Response> {
  try {
    const response = await fetch(event.request)
    addOnlineClient(event.resultingClientId)
    if (isPage(response)) event.waitUntil(keepPage(response.clone()).catch(() => undefined))
    return response
  } catch (error) {
    const cachedAnswer = await caches.match(page, { cacheName })
    if (cachedAnswer === undefined) throw error
    return cachedAnswer
  }
}

function addOnlineClient(id: string): void {
  onlineClients.add(id)
  const [oldest = ''] = onlineClients
  if (onlineClients.size > maxOnlineClients) onlineClients.delete(oldest)
}

/** Whether an answer is the page: `/healthz` and other addresses answer a navigation too. */
function isPage(response: Response): boolean {
  return response.ok && response.headers.get('content-type')?.startsWith('text/html') === true
}

/**
 * The cached file of the shell; `null`: the page came from the service, so the browser loads the
 * file itself. Its own cache keeps such a file, and Chromium loads a preloaded script a second time
 * if a service worker answered the first load.
 */
export function answerAsset({ request, clientId }: FetchEvent): Promise<Response> | null {
  if (onlineClients.has(clientId)) return null
  return caches.match(request, { cacheName }).then((cached) => cached ?? fetch(request))
}

async function keepPage(response: Response): Promise<void> {
  const html = await response.text()
  const cache = await caches.open(cacheName)
  const cachedAnswer = await cache.match(page)
  if (cachedAnswer !== undefined && (await cachedAnswer.text()) === html) return
  const files = filesOf(html)
  const present = await cache.keys()
  const names = new Set(present.map(({ url }) => new URL(url).pathname))
  await cache.addAll(files.filter((name) => !names.has(name)))
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  for (const name of ['content-security-policy', 'x-content-type-options']) {
    const value = response.headers.get(name)
    if (value !== null) Object.assign(headers, { [name]: value })
  }
  await cache.put(page, new Response(html, { headers }))
  const shellNames = new Set([page, ...files])
  for (const name of names) if (!shellNames.has(name)) await cache.delete(name)
}

/** The addresses of the scripts, styles and pictures of a page. */
function filesOf(html: string): string[] {
  const names = [...html.matchAll(/(?:src|href)="(\/[\w./-]+)"/g)].map(([, name]) => name ?? '')
  return [...new Set(names)].filter((name) => name.startsWith('/assets/') || name.endsWith('.svg'))
}
