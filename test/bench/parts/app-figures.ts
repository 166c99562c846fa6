import type { Report } from './report';

export async function addAppFigures(_report: Report, _repeats: number): Promise<void> {}
