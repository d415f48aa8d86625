import { MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { BrowserRouter, Navigate, Route, Routes } from 'react-router'
import { ApiRefusal } from './api/call-api.ts'
import { meQuery } from './api/queries.ts'
import { InboxPage } from './inbox/inbox-page.tsx'
import { KeyboardProvider } from './keyboard/keyboard-provider.tsx'
import { LiveProvider } from './live/live-provider.tsx'
import { Messages } from './shell/messages.tsx'
import { Shell } from './shell/shell.tsx'
import { readSignInLink } from './sign-in/sign-in-link.ts'
import { SignedIn } from './sign-in/signed-in.tsx'
import { NotFound } from './states/failure.tsx'
import { PageBoundary } from './states/page-boundary.tsx'
import { theme } from './theme.ts'

const LinkPage = lazy(() =>
  import('./sign-in/link-page.tsx').then((module) => ({ default: module.LinkPage })),
)
const RequestPage = lazy(() =>
  import('./request/request-page.tsx').then((module) => ({ default: module.RequestPage })),
)
const RunsPage = lazy(() =>
  import('./runs/list/runs-page.tsx').then((module) => ({ default: module.RunsPage })),
)
const NewRunPage = lazy(() =>
  import('./runs/start/new-run-page.tsx').then((module) => ({ default: module.NewRunPage })),
)
const ForkPage = lazy(() =>
  import('./runs/fork/fork-page.tsx').then((module) => ({ default: module.ForkPage })),
)
const RunPage = lazy(() =>
  import('./runs/page/run-page.tsx').then((module) => ({ default: module.RunPage })),
)
const ChangeSetPage = lazy(() =>
  import('./change-set/change-set-page.tsx').then((module) => ({
    default: module.ChangeSetPage,
  })),
)
const InsightsPage = lazy(() =>
  import('./insights/insights-page.tsx').then((module) => ({ default: module.InsightsPage })),
)
const AuditPage = lazy(() =>
  import('./audit/audit-page.tsx').then((module) => ({ default: module.AuditPage })),
)
const AccountPage = lazy(() =>
  import('./account/account-page.tsx').then((module) => ({ default: module.AccountPage })),
)
const PolicyPage = lazy(() =>
  import('./policy/policy-page.tsx').then((module) => ({ default: module.PolicyPage })),
)

/** The whole dashboard. Mantine's style elements are switched off; `styles/` has their rules. */
export function App() {
  const [client] = useState(createClient)
  const [link] = useState(readSignInLink)
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
                {link !== null && (
                  <Route
                    path="/sign-in"
                    element={
                      <Suspense fallback={null}>
                        <LinkPage link={link} />
                      </Suspense>
                    }
                  />
                )}
                <Route
                  element={
                    <SignedIn>
                      <LiveProvider>
                        <Shell />
                      </LiveProvider>
                    </SignedIn>
                  }
                >
                  <Route element={<InboxPage />}>
                    <Route index element={null} />
                    <Route path="/requests/:id" element={<RequestPage />} />
                  </Route>
                  <Route path="/sign-in" element={<Navigate to="/" replace />} />
                  <Route path="/runs" element={<RunsPage />} />
                  <Route path="/runs/new" element={<NewRunPage />} />
                  <Route path="/runs/:id" element={<RunPage />} />
                  <Route path="/runs/:id/fork" element={<ForkPage />} />
                  <Route path="/runs/:id/turns/:n" element={<ChangeSetPage />} />
                  <Route path="/insights" element={<InsightsPage />} />
                  <Route path="/audit" element={<AuditPage />} />
                  <Route path="/policy" element={<PolicyPage />} />
                  <Route path="/account" element={<AccountPage />} />
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

function createClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The session has ended, so the page changes to the sign-in page. The query of the person
        // stays until then, because the components of the page still use it.
        const isMe = query.queryKey[0] === meQuery.queryKey[0]
        if (error instanceof ApiRefusal && error.status === 401 && !isMe) {
          void client.invalidateQueries({ queryKey: meQuery.queryKey })
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (count, error) => count < 2 && error instanceof ApiRefusal && error.status === 0,
      },
    },
  })
  return client
}
