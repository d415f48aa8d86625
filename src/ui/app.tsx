import { MantineProvider, createTheme, defaultVariantColorsResolver } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { BrowserRouter, matchPath, Navigate, Route, Routes } from 'react-router'
import { ApiRefusal, isSessionEnd } from './api/call-api.ts'
import { meQuery, requestQuery } from './api/queries.ts'
import { InboxPage } from './inbox/inbox-page.tsx'
import { KeyboardProvider } from './keyboard/keyboard-provider.tsx'
import { LiveProvider } from './live/live-provider.tsx'
import { fetchPage, pages } from './pages.ts'
import { Messages } from './shell/messages.tsx'
import { Shell } from './shell/shell.tsx'
import { readSignInLink } from './sign-in/sign-in-link.ts'
import { SignedIn } from './sign-in/signed-in.tsx'
import { NotFound } from './states/failure.tsx'
import { later } from './states/later.tsx'
import { PageBoundary } from './states/page-boundary.tsx'
import { verbs } from './words/verbs.ts'

// A scroll lock injects a style element, so `styles/base.css` locks the scroll instead.
const overPage = {
  lockScroll: false,
  overlayProps: { opacity: 0.4 },
  closeButtonProps: { 'aria-label': verbs.close },
}

/**
 * The settings that Mantine needs in script. Colours, fonts and radii are custom properties in
 * `styles/theme.css`, because the content security policy refuses injected style elements.
 */
const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // The accent colour is for decisions: a button without a border has the colour of the text.
  variantColorResolver: (input) => {
    const isPlain = input.variant === 'subtle' && input.color === input.theme.primaryColor
    return defaultVariantColorsResolver(isPlain ? { ...input, color: 'gray' } : input)
  },
  components: {
    Modal: { defaultProps: { ...overPage, centered: true } },
    Drawer: { defaultProps: overPage },
    Tooltip: { defaultProps: { withinPortal: true, multiline: true } },
  },
})

/** Loaded for a person who opens a sign-in link. */
const LinkPage = later(() => import('./sign-in/link-page.tsx').then((module) => module.LinkPage))

/** After this time the first page has its data, and the network is free. */
const quietMs = 1_500

/** The whole dashboard. Mantine's style elements are switched off; `styles/` has their rules. */
export function App() {
  const [client] = useState(createClient)
  const [link] = useState(readSignInLink)
  const [page] = useState(() => loadFirstPage(client, link !== null))
  useEffect(() => {
    // Loads in advance what most people open next.
    const fetchNext = () => void fetchPage('/requests/next').catch(() => undefined)
    void page.then(
      () => setTimeout(fetchNext, quietMs),
      () => undefined,
    )
  }, [page])
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={client}>
        <BrowserRouter>
          <KeyboardProvider>
            <Messages />
            <PageBoundary what="The dashboard">
              <Routes>
                {link !== null && <Route path="/sign-in" element={<LinkPage link={link} />} />}
                <Route
                  element={
                    <SignedIn page={page}>
                      <LiveProvider onChange={forgetDrafts}>
                        <Shell />
                      </LiveProvider>
                    </SignedIn>
                  }
                >
                  <Route element={<InboxPage />}>
                    <Route index element={null} />
                    {pageRoute('/requests/:id')}
                  </Route>
                  <Route path="/sign-in" element={<Navigate to="/" replace />} />
                  {paths.filter((path) => path !== '/requests/:id').map(pageRoute)}
                  <Route path="*" element={<NotFound />} />
                </Route>
              </Routes>
            </PageBoundary>
          </KeyboardProvider>
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  )
}

/** Removes drafts about erased contents. If its script does not load, the next page tries again. */
function forgetDrafts(personId: string, requestId?: string): void {
  void import('./states/erased-drafts.ts')
    .then(({ forgetErasedDrafts }) => forgetErasedDrafts(personId, requestId))
    .catch(() => undefined)
}

const paths = Object.keys(pages) as (keyof typeof pages)[]

function pageRoute(path: keyof typeof pages) {
  const { Page } = pages[path]
  return <Route key={path} path={path} element={<Page />} />
}

/**
 * Loads the script and the data of the first page while the person is loaded. Before a link has
 * signed them in, data cannot be loaded.
 */
async function loadFirstPage(client: QueryClient, byLink: boolean): Promise<void> {
  const { pathname } = window.location
  const request = matchPath('/requests/:id', pathname)?.params.id
  if (!byLink && request !== undefined) void loadRequest(client, request)
  await fetchPage(pathname)
}

/**
 * Loads a request at the same time as the person, and again when both are there. The event stream
 * begins at the event that the answer about the person names. A change just before that event is in
 * the second answer.
 */
async function loadRequest(client: QueryClient, id: string): Promise<void> {
  const request = requestQuery(id)
  await Promise.all([client.prefetchQuery(request), client.prefetchQuery(meQuery)])
  await client.invalidateQueries({ queryKey: request.queryKey })
}

function createClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The session has ended, so the page changes to the sign-in page. The query of the person
        // stays until then, because the components of the page still use it.
        const isMe = query.queryKey[0] === meQuery.queryKey[0]
        if (isSessionEnd(error) && !isMe) {
          void client.invalidateQueries({ queryKey: meQuery.queryKey })
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Without a network, a service on this device still answers.
        networkMode: 'always',
        retry: (count, error) => count < 2 && error instanceof ApiRefusal && error.status === 0,
      },
    },
  })
  return client
}
