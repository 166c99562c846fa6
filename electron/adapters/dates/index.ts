export { createCronDates } from './cron-dates';
