import {
  ActionIcon,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { IconKeyboard, IconSearch, IconMoon, IconSun } from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState, type RefObject } from 'react'
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router'
import { useQueues, useMe } from '../api/queries.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { commandKeys, commandLabel } from '../keyboard/commands.ts'
import { platform } from '../keyboard/platform.ts'
import { beginOpening } from '../keyboard/opening-letters.ts'
import { Hint } from '../floating/hint.tsx'
import { laterDialog } from '../floating/later-dialog.ts'
import { Loading } from '../states/loading.tsx'
import { PageBoundary } from '../states/page-boundary.tsx'
import { Announcements } from '../states/announce.tsx'
import { copyText } from '../text/copy-text.ts'
import { LiveIndicator } from './live-indicator.tsx'
import { SendingBars } from '../sending/sending-bars.tsx'
import { PersonMenu } from './person-menu.tsx'
import { showBadge } from '../push/app-badge.ts'
import { useSnoozeReturns } from './use-snooze-returns.ts'
import './shell.css'

const HelpSheet = laterDialog(() =>
  import('../keyboard/help-sheet.tsx').then((module) => module.HelpSheet),
)
const Palette = laterDialog(() =>
  import('../keyboard/palette.tsx').then((module) => module.Palette),
)

/** Header, navigation and the other parts of every page of a signed-in person. */
export function Shell() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [help, setHelp] = useState(false)
  const [palette, setPalette] = useState(false)
  const helpKeys = useAriaKeys('help')
  const paletteKeys = useAriaKeys('palette')
  const main = useRef<HTMLElement>(null)
  useWebApp()
  useKeptFocus(main)
  useShortcut('goInbox', () => void navigate('/'))
  useShortcut('goRuns', () => void navigate('/runs'))
  useShortcut('goInsights', () => void navigate('/insights'))
  useShortcut('goAudit', () => void navigate('/audit'))
  useShortcut('goPolicy', () => void navigate('/policy'))
  useShortcut('newRun', () => void navigate('/runs/new'))
  useShortcut('goAccount', () => void navigate('/account'))
  useShortcut('help', () => setHelp(true))
  const openPalette = (): void => {
    beginOpening()
    setPalette(true)
  }
  useShortcut('palette', () => (palette ? setPalette(false) : openPalette()))
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header className="header">
        <NavLink to="/" className="brand" aria-label="Countersign, to the inbox">
          <img src="/favicon.svg" width="24" height="24" alt="" />
          <span className="brand-name">Countersign</span>
        </NavLink>
        <nav aria-label="Pages" className="pages">
          <InboxLink />
          <NavLink to="/runs">Runs</NavLink>
          <NavLink to="/insights">Insights</NavLink>
          <NavLink to="/audit">Audit</NavLink>
          <NavLink to="/policy">Policy</NavLink>
        </nav>
        <UnstyledButton className="palette-button" onClick={openPalette} {...paletteKeys}>
          <IconSearch size={15} aria-hidden />
          <span className="palette-words">Search or run a command</span>
          <kbd aria-hidden>{commandKeys('palette', platform)}</kbd>
        </UnstyledButton>
        <div className="header-end">
          <LiveIndicator />
          <Hint label="Keyboard (?)">
            <ActionIcon
              className="keyboard-button"
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Keyboard commands"
              onClick={() => setHelp(true)}
              {...helpKeys}
            >
              <IconKeyboard size={18} aria-hidden />
            </ActionIcon>
          </Hint>
          <SchemeToggle />
          <PersonMenu />
        </div>
      </header>
      <ProfileBanner />
      <LinkKey />
      <main ref={main} id="content" className="content" tabIndex={-1}>
        <PageBoundary key={pageOf(pathname)} what="This page">
          <Suspense fallback={<Loading what="the page" lines={6} />}>
            <Outlet />
          </Suspense>
        </PageBoundary>
      </main>
      <SendingBars />
      <Announcements />
      <PageBoundary key={`${pathname} ${help} ${palette}`} what="This list">
        {help && <HelpSheet isOpen onClose={() => setHelp(false)} />}
        {palette && <Palette onClose={() => setPalette(false)} />}
      </PageBoundary>
    </>
  )
}

/** The key that copies the address. Drawn before the page, so that a page can have another link. */
function LinkKey() {
  useShortcut('copyLink', () => void copyText(window.location.href, 'Link'))
  return null
}

/** The inbox and its requests are one page: the list stays beside another card. */
function pageOf(pathname: string): string {
  return pathname.startsWith('/requests/') ? '/' : pathname
}

/** Starts the service worker and notifications after the first page. */
function useWebApp(): void {
  const { person } = useMe()
  useEffect(
    () => startLater(import('../push/web-app.ts'), ({ startWebApp }) => startWebApp(person.id)),
    [person.id],
  )
}

/** What keeps the focus is loaded after the page: a control that is removed before loses it. */
function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const region = main.current
    if (region === null) return undefined
    return startLater(import('./keep-focus.ts'), ({ keepFocus }) => keepFocus(region))
  }, [main])
}

/** Starts what a script does once it is loaded. The result ends it, or keeps it from starting. */
function startLater<Script>(
  loading: Promise<Script>,
  start: (script: Script) => () => void,
): () => void {
  let end = (): void => undefined
  let isOver = false
  void loading.then(
    (script) => {
      if (!isOver) end = start(script)
    },
    () => undefined,
  )
  return () => {
    isOver = true
    end()
  }
}

function InboxLink() {
  const queues = useQueues()
  useSnoozeReturns(queues)
  const myCount = queues.data?.items.reduce((sum, queue) => sum + queue.mine, 0) ?? 0
  useEffect(() => showBadge(myCount), [myCount])
  return (
    <NavLink to="/" end>
      Inbox
      {/* The place is reserved before the number is loaded, so that no link moves. */}
      <span className="count-place">
        {myCount > 0 && (
          <span className="count">
            {myCount > 99 ? '99+' : myCount}
            <span className="visually-hidden"> wait for you</span>
          </span>
        )}
      </span>
    </NavLink>
  )
}

/** The banner of the development profile (api.md; product.md 17). */
function ProfileBanner() {
  const { installation } = useMe()
  if (installation.profile !== 'development') return null
  return (
    <aside className="profile-banner" aria-label="Profile">
      <strong>Development profile.</strong>{' '}
      {installation.singlePerson
        ? 'One person may act as everybody: approvals may be self-approvals, and are marked so.'
        : 'Anyone who has the token can act as anybody.'}
    </aside>
  )
}

/** The switch between light and dark. Follows the system until the person chooses. */
function SchemeToggle() {
  // Otherwise Mantine sets the text of a style element, which Trusted Types refuse.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const dark = useComputedColorScheme('light') === 'dark'
  const label = commandLabel(dark ? 'lightColours' : 'darkColours')
  useShortcut('lightColours', dark ? () => setColorScheme('light') : null)
  useShortcut('darkColours', dark ? null : () => setColorScheme('dark'))
  const Icon = dark ? IconSun : IconMoon
  return (
    <Hint label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      >
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Hint>
  )
}
