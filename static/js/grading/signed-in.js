// The small window in which somebody signed in again: tells the grading pages, and goes.

import { tellSignedIn } from "./session.js";

tellSignedIn();
window.close();
