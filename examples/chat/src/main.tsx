import { createRoot } from 'react-dom/client'
import { OpenRun } from './open-run.tsx'
import { StartRun } from './start-run.tsx'
import './chat.css'

const root = document.getElementById('root')
const runId = new URLSearchParams(location.search).get('run')
if (root !== null) createRoot(root).render(runId === null ? <StartRun /> : <OpenRun id={runId} />)
